#include "data/blocks/number_map.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cane {
namespace {

std::uint64_t classify(ParsedBlock& block, const NumberMap& map) {
  std::uint64_t unseen = 0;
  block.classes.reserve(block.labels.size());
  for (const BlockId label : block.labels) {
    const FileId id =
        label == kNoLabel ? kUnknownName : block.label_ids[static_cast<std::uint32_t>(label)];
    if (id != kUnknownName) {
      const auto number = static_cast<std::uint32_t>(id);
      block.classes.push_back(map.is_identity ? number : map.class_of[number]);
    } else {
      block.classes.push_back(kUnknownClass);
      unseen += label == kNoLabel ? 0 : 1;
    }
  }
  block.labels = {};
  return unseen;
}

// Rows that have no features, and no gap yet.
void mark_empty(ParsedBlock& block) {
  std::vector<RowGap> all;
  auto next = block.gaps.begin();
  for (std::uint64_t row = 0; row < block.size(); ++row) {
    if (next != block.gaps.end() && next->example == row) {
      all.push_back(*next++);
    } else if (block.row(row).count == 0) {
      all.push_back({row, GapKind::kEmpty});
    }
  }
  block.gaps = std::move(all);
}

class RowFinisher {
 public:
  RowFinisher(ParsedBlock& block, const NumberMap& map)
      : block_(block),
        map_(map),
        has_names_(map.feature_kind == FeatureKind::kWords),
        feature_of_(block, map) {
    if (has_names_) block.features.resize(block.names.size());
  }

  /// Finishes features [begin, end) and moves them to `target`, which lies at or before `begin`;
  /// returns where they end there.
  std::uint64_t finish(std::uint64_t begin, std::uint64_t end, std::uint64_t target) {
    row_.clear();
    for (std::uint64_t i = begin; i < end; ++i) {
      const FeatureId feature = has_names_ ? feature_of_(block_.names[i]) : block_.features[i];
      if (feature < map_.dimension) {
        row_.emplace_back(feature, block_.values[i]);
      } else if (!has_names_ || !block_.names[i].is_ngram()) {
        ++dropped_;
      }
    }
    if (map_.feature_kind != FeatureKind::kIndices) sort_and_merge();
    const std::uint64_t first = target;
    for (const auto& [feature, value] : row_) {
      block_.features[target] = feature;
      block_.values[target++] = value;
    }
    map_.weights.apply(std::span(block_.features).subspan(first, target - first),
                       std::span(block_.values).subspan(first, target - first));
    return target;
  }

  std::uint64_t dropped() const { return dropped_; }

 private:
  // Order equal features by value, so that sums do not depend on the sort.
  void sort_and_merge() {
    std::sort(row_.begin(), row_.end());
    std::size_t kept = 0;
    for (const auto& feature : row_) {
      if (kept > 0 && row_[kept - 1].first == feature.first) {
        row_[kept - 1].second += feature.second;
      } else {
        row_[kept++] = feature;
      }
    }
    row_.resize(kept);
  }

  ParsedBlock& block_;
  const NumberMap& map_;
  bool has_names_;
  BlockFeatures feature_of_;
  std::vector<std::pair<FeatureId, float>> row_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

BlockFeatures::BlockFeatures(const ParsedBlock& block, const NumberMap& map)
    : block_(block), map_(map) {
  if (map.ngrams == nullptr) return;
  ngrams_.reserve(block.ngram_hashes.size());
  for (const std::uint64_t hash : block.ngram_hashes) {
    const std::uint32_t place = map.ngrams->find(hash);
    ngrams_.push_back(place == NgramDictionary::kNone ? NgramDictionary::kNone
                                                      : map.first_ngram + place);
  }
}

FinishedCounts finish_block(ParsedBlock& block, const NumberMap& map) {
  FinishedCounts counts;
  counts.unseen_labels = classify(block, map);
  const bool nothing_to_do = map.feature_kind == FeatureKind::kIndices &&
                             map.weights.do_nothing() && block.dimension <= map.dimension;
  if (!nothing_to_do) {
    RowFinisher finisher(block, map);
    std::uint64_t begin = 0;
    std::uint64_t target = 0;
    for (std::uint64_t& end : block.ends) {
      target = finisher.finish(begin, end, target);
      begin = std::exchange(end, target);
    }
    block.names = {};
    block.features.resize(target);
    block.values.resize(target);
    counts.dropped_features = finisher.dropped();
  }
  if (map.marks_empty) mark_empty(block);
  return counts;
}

}  // namespace cane

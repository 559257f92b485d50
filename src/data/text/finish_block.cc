#include "data/text/finish_block.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "data/text/ngram_hasher.h"

namespace cane {
namespace {

std::uint64_t classify(NumberedBlock& block, const AssemblyPlan& plan) {
  std::uint64_t unseen = 0;
  for (std::uint32_t& label : block.columns.label_of) {
    if (label == StringTable::kNone) {
      label = kUnknownClass;
      continue;
    }
    const std::uint32_t number = block.label_of[label];
    if (number == StringTable::kNone) ++unseen;
    label = number == StringTable::kNone ? kUnknownClass : plan.class_of[number];
  }
  return unseen;
}

void scale_to_length_one(std::span<float> values) {
  double squares = 0.0;
  for (const float value : values)
    squares += static_cast<double>(value) * static_cast<double>(value);
  if (squares == 0.0) return;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) * scale);
}

class RowFinisher {
 public:
  RowFinisher(NumberedBlock& block, const AssemblyPlan& plan) : block_(block), plan_(plan) {}

  /// Finishes features [begin, end) and moves them to `target`, which lies at or before `begin`;
  /// returns where they end there.
  std::uint64_t finish(std::uint64_t begin, std::uint64_t end, std::uint64_t target) {
    row_.clear();
    for (std::uint64_t i = begin; i < end; ++i) {
      const FeatureId feature = feature_of(block_.columns.features[i]);
      if (feature < plan_.dimension) row_.emplace_back(feature, block_.columns.values[i]);
    }
    dropped_ += end - begin - row_.size();
    if (plan_.feature_kind != FeatureKind::kIndices) sort_and_merge();
    const std::uint64_t first = target;
    for (const auto& [feature, value] : row_) {
      block_.columns.features[target] = feature;
      block_.columns.values[target++] = value;
    }
    if (plan_.normalize) {
      scale_to_length_one(std::span(block_.columns.values).subspan(first, target - first));
    }
    return target;
  }

  std::uint64_t dropped() const { return dropped_; }

 private:
  FeatureId feature_of(FeatureId feature) const {
    if (plan_.feature_kind != FeatureKind::kWords) return feature;
    if (feature >= NgramHasher::kMark) return plan_.first_ngram + (feature - NgramHasher::kMark);
    const std::uint32_t number = block_.word_of[feature];
    return number == StringTable::kNone ? StringTable::kNone : plan_.feature_of[number];
  }

  // Equal features are ordered by value, so that sums do not depend on the sort's whims.
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

  NumberedBlock& block_;
  const AssemblyPlan& plan_;
  std::vector<std::pair<FeatureId, float>> row_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

FinishedCounts finish_block(NumberedBlock& block, const AssemblyPlan& plan) {
  FinishedCounts counts;
  counts.unseen_labels = classify(block, plan);
  const bool nothing_to_do = plan.feature_kind == FeatureKind::kIndices && !plan.normalize &&
                             block.columns.dimension <= plan.dimension;
  if (nothing_to_do) return counts;
  RowFinisher finisher(block, plan);
  std::uint64_t begin = 0;
  std::uint64_t target = 0;
  for (std::uint64_t& end : block.columns.ends) {
    target = finisher.finish(begin, end, target);
    begin = std::exchange(end, target);
  }
  block.columns.features.resize(target);
  block.columns.values.resize(target);
  counts.dropped_features = finisher.dropped();
  return counts;
}

}  // namespace cane

// From the numbers of names in a block to the classes and features of a vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/blocks/ngram_dictionary.h"
#include "data/blocks/parsed_block.h"
#include "data/vocabulary/row_weights.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

struct NumberMap {
  FeatureKind feature_kind = FeatureKind::kIndices;
  FeatureId dimension = 0;    // features from this one on are dropped
  FeatureId first_ngram = 0;  // the feature of the first n-gram, for FeatureKind::kWords
  const NgramDictionary* ngrams = nullptr;  // null: n-grams are numbered by their hashes
  RowWeights weights;
  bool marks_empty = false;               // rows without features are gaps
  bool is_identity = false;               // the numbers of the file are the classes and features
  std::span<const ClassId> class_of;      // FileId -> class
  std::span<const FeatureId> feature_of;  // FileId -> feature, for FeatureKind::kWords
};

/// The features of the names in a block. Both must outlive the object.
class BlockFeatures {
 public:
  BlockFeatures(const ParsedBlock& block, const NumberMap& map);

  /// Not below the dimension if there is no such feature.
  FeatureId operator()(BlockName name) const {
    if (name.is_ngram()) {
      return map_.ngrams == nullptr ? map_.first_ngram + name.number() : ngrams_[name.number()];
    }
    const FileId word = block_.word_ids[name.number()];
    if (word == kUnknownName) return StringTable::kNone;
    const auto number = static_cast<std::uint32_t>(word);
    return map_.is_identity ? number : map_.feature_of[number];
  }

 private:
  const ParsedBlock& block_;
  const NumberMap& map_;
  std::vector<FeatureId> ngrams_;  // for a dictionary of n-grams
};

struct FinishedCounts {
  std::uint64_t unseen_labels = 0;     // examples
  std::uint64_t dropped_features = 0;  // occurrences, n-grams not counted
};

/// Gives the block its classes and its final features, strictly increasing in each row.
FinishedCounts finish_block(ParsedBlock& block, const NumberMap& map);

}  // namespace cane

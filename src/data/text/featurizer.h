// Converts text to features, in two steps shared by training and prediction: BlockParser reads
// lines and numbers their names within the block; finish_block maps the numbers to the classes and
// features of a vocabulary, drops unknown ones, sorts, merges and weights. A Featurizer does
// both with a known vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/ngram_dictionary.h"
#include "data/text/parsed_block.h"
#include "data/text/row_weights.h"
#include "data/text/text_format.h"
#include "data/text/vocabulary.h"

namespace cane {

/// Maps the numbers of a block to classes and features.
struct NumberMap {
  FeatureKind feature_kind = FeatureKind::kIndices;
  FeatureId dimension = 0;    // features from this one on are dropped
  FeatureId first_ngram = 0;  // the feature of the first n-gram, for FeatureKind::kWords
  const NgramDictionary* ngrams = nullptr;  // null: n-grams are numbered by their hashes
  RowWeights weights;
  bool is_identity = false;               // the file's numbers are the classes and features
  std::span<const ClassId> class_of;      // the file's number -> class
  std::span<const FeatureId> feature_of;  // the file's number -> feature, for FeatureKind::kWords
};

/// The features of the numbers in a block. Both must outlive the object.
class BlockFeatures {
 public:
  BlockFeatures(const ParsedBlock& block, const NumberMap& map);

  /// Not below the dimension if there is no such feature.
  FeatureId operator()(FeatureId number) const {
    if (map_.feature_kind != FeatureKind::kWords) return number;
    if (number >= ParsedBlock::kNgramMark) return ngram(number - ParsedBlock::kNgramMark);
    const std::uint32_t word = block_.word_numbers[number];
    if (word == StringTable::kNone) return StringTable::kNone;
    return map_.is_identity ? word : map_.feature_of[word];
  }

 private:
  FeatureId ngram(FeatureId number) const {
    return map_.ngrams == nullptr ? map_.first_ngram + number : ngrams_[number];
  }

  const ParsedBlock& block_;
  const NumberMap& map_;
  std::vector<FeatureId> ngrams_;  // for a dictionary of n-grams
};

struct FinishedCounts {
  std::uint64_t unseen_labels = 0;     // examples
  std::uint64_t dropped_features = 0;  // occurrences, n-grams not counted
};

/// Rewrites the block in place: `labels` holds classes, `features` the final ones, strictly
/// increasing in each row.
FinishedCounts finish_block(ParsedBlock& block, const NumberMap& map);

/// Parser settings that produce features of this kind. `options` determine the handling of bad
/// lines and multiple labels.
BlockParser parser_for(const TextFormat& format, const TextHeader& header,
                       const Vocabulary& vocabulary, const DataOptions& options);

/// Const and thread-safe.
class Featurizer {
 public:
  /// The vocabulary must outlive the object.
  explicit Featurizer(const Vocabulary& vocabulary);

  /// Returns the finished rows of a block of lines.
  ParsedBlock featurize(const TextBlock& text, const BlockParser& parser) const;
  /// The same for a text that is one example: line ends count as blanks, and labels are ignored.
  /// kAuto: the format detected in the text, otherwise the one that matches the vocabulary. Throws
  /// Error.
  ParsedBlock featurize(std::string_view text, Format format) const;
  /// The parser that does this, for a line.
  BlockParser parser_of(std::string_view line, Format format) const;

 private:
  /// Null if the format is no table.
  std::shared_ptr<const Table> table_for(const TextFormat& format, std::string_view line) const;

  const Vocabulary& vocabulary_;
  StringTable labels_;
  StringTable words_;
  NgramDictionary ngrams_;
  std::shared_ptr<const Table> table_;  // for JSON objects; null if no table was learned from
};

}  // namespace cane

// From text to features, in two steps that training and prediction share: BlockParser reads lines
// and numbers their names within the block; finish_block turns the numbers into the classes and
// features of a vocabulary, leaves out what it does not know, sorts, merges and normalises. A
// Featurizer does both through a vocabulary that is known.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cane/data_options.h"
#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/parsed_block.h"
#include "data/text/text_format.h"
#include "data/text/vocabulary.h"

namespace cane {

/// How the numbers of a block become classes and features.
struct NumberMap {
  FeatureKind feature_kind = FeatureKind::kIndices;
  FeatureId dimension = 0;    // features from here on are left out
  FeatureId first_ngram = 0;  // the feature of the first n-gram, for FeatureKind::kWords
  bool normalize = false;
  bool is_identity = false;               // the file's numbers are the classes and features
  std::span<const ClassId> class_of;      // the file's number -> class
  std::span<const FeatureId> feature_of;  // the file's number -> feature, for FeatureKind::kWords
};

struct FinishedCounts {
  std::uint64_t unseen_labels = 0;     // examples
  std::uint64_t dropped_features = 0;  // occurrences
};

/// Rewrites the block in place: `labels` holds classes, `features` the final ones, strictly
/// increasing in each row.
FinishedCounts finish_block(ParsedBlock& block, const NumberMap& map);

/// How lines of a format are read to make features of this kind. `options` say what to do with bad
/// lines and several labels.
BlockParser parser_for(const TextFormat& format, const TextHeader& header,
                       const Vocabulary& vocabulary, const DataOptions& options);

/// Const and thread-safe.
class Featurizer {
 public:
  /// The vocabulary must outlive it.
  explicit Featurizer(const Vocabulary& vocabulary);

  /// The rows of a block of lines, finished.
  ParsedBlock featurize(const TextBlock& text, const BlockParser& parser) const;
  /// The same for one text, which is one example: line ends in it count as blanks, labels do not
  /// matter. kAuto: the format that the text shows, else the one that goes with the vocabulary.
  /// Throws Error.
  ParsedBlock featurize(std::string_view text, Format format) const;

 private:
  const Vocabulary& vocabulary_;
  StringTable labels_;
  StringTable words_;
};

}  // namespace cane

// A block of lines as columns. Names are numbered within the block, so that blocks can be parsed
// in any order; numbers of names become classes and features when the block is finished (see
// featurizer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/buffer.h"
#include "core/base/row_view.h"
#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/block_reader.h"
#include "data/text/ngram_numbers.h"
#include "data/text/text_format.h"
#include "data/text/vocabulary.h"

namespace cane {

struct ParsedBlock {
  /// Where words have a dictionary, features with this bit are n-grams, by their number in the
  /// block or by the place that their hash gives them; those without it are numbers of words.
  static constexpr FeatureId kNgramMark = FeatureId{1} << 31;

  std::uint64_t lines = 0;
  std::uint64_t records = 0;  // non-blank lines, including bad ones
  std::uint64_t bad_lines = 0;
  std::uint64_t first_bad_line = 0;  // counted from 0, within the block
  std::string first_bad_message;

  /// The names of the block; freed once the numbers below are set.
  StringTable label_names;
  StringTable words;
  std::vector<std::uint64_t> word_counts;  // occurrences, once for each line of several labels
  NgramNumbers ngrams;                     // for a dictionary of n-grams, as are the next two
  std::vector<std::uint64_t> ngram_counts;
  std::vector<std::uint64_t> ngram_hashes;  // moved out of `ngrams`
  /// The block's number of a name -> its number in the file; StringTable::kNone: unknown.
  std::vector<std::uint32_t> label_numbers;
  std::vector<std::uint32_t> word_numbers;  // for FeatureKind::kWords

  // One entry for each example.
  std::vector<std::uint32_t> labels;   // the block's number, kNone: none; in the end the class
  std::vector<std::uint64_t> ends;     // where its features end
  std::vector<float> weights;          // empty: all are one
  FeatureId dimension = 0;             // index formats: the largest index + 1
  std::uint64_t dropped_features = 0;  // occurrences that a Featurizer's vocabulary lacks
  // One entry for each feature, repetitions included. Of a line with words the n-grams come first,
  // then the words in their order; in the end the model's features.
  std::vector<FeatureId, LargePageAllocator<FeatureId>> features;
  std::vector<float, LargePageAllocator<float>> values;

  /// The features of a finished block.
  RowView row(std::size_t example) const {
    const std::uint64_t begin = example == 0 ? 0 : ends[example - 1];
    return {features.data() + begin, values.data() + begin,
            static_cast<std::uint32_t>(ends[example] - begin)};
  }
};

/// The feature of a word, its name space before it, among 2^bits.
FeatureId hashed_word(std::string_view word, std::uint32_t bits);

/// How lines are read. Const and thread-safe.
struct BlockParser {
  const TextFormat* format = nullptr;
  TextHeader header;
  FeatureKind feature_kind = FeatureKind::kIndices;
  std::uint32_t hash_bits = 0;
  Ngrams ngrams;
  TokenizerKind tokenizer = TokenizerKind::kSpaces;
  bool takes_negative = true;  // values below zero are allowed
  MultiLabel multi_label = MultiLabel::kError;
  OnError on_error = OnError::kStop;
  bool require_labels = true;
  std::size_t line_bytes = BlockLimits{}.line_bytes;

  /// Of the fields of a record; '\0': an example is a line.
  char record_separator() const { return header.table != nullptr ? header.table->separator : '\0'; }

  /// With OnError::kStop it ends after the first bad line.
  ParsedBlock parse(const TextBlock& block) const;
};

}  // namespace cane

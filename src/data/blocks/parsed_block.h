// A block of examples as columns. Names are numbered within the block, so that blocks can be parsed
// in any order; joining the blocks gives them numbers of the file, and finishing a block turns
// these into classes and features (see number_map.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cane/dataset.h"
#include "core/base/buffer.h"
#include "core/base/row_view.h"
#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/blocks/ngram_numbers.h"
#include "data/vocabulary/name_maps.h"

namespace cane {

/// The number of a label or word among those of a block.
enum class BlockId : std::uint32_t {};
inline constexpr BlockId kNoLabel{StringTable::kNone};

/// A feature that is known by its name so far: a word, or an n-gram by its number in the block or
/// by the place that its hash gives it.
class BlockName {
 public:
  BlockName() = default;
  explicit BlockName(BlockId word) : bits_(static_cast<std::uint32_t>(word)) {}
  static BlockName ngram(std::uint32_t number) { return BlockName(BlockId{number | kMark}); }

  bool is_ngram() const { return bits_ >= kMark; }
  /// Of the word or the n-gram.
  std::uint32_t number() const { return bits_ & ~kMark; }

  static constexpr std::uint32_t kMark = std::uint32_t{1} << 31;

 private:
  std::uint32_t bits_ = 0;
};

/// What a user may want to know of some records, which are read all the same.
struct Finding {
  enum Kind : std::size_t { kLong, kHeader, kNoUtf8, kNoColumns, kKinds };

  std::uint64_t count = 0;
  std::uint64_t first_line = 0;  // counted from 0
  std::uint64_t lines = 0;       // of the first
};

struct ParsedBlock {
  std::uint64_t lines = 0;
  std::uint64_t records = 0;  // non-blank lines, including bad ones
  std::uint64_t bad_lines = 0;
  std::uint64_t first_bad_line = 0;  // counted from 0, within the block
  std::string first_bad_message;
  std::array<Finding, Finding::kKinds> findings;

  /// The names of the block; freed once the numbers below are set.
  StringTable label_names;
  StringTable word_names;
  std::vector<std::uint64_t> word_counts;  // occurrences, once for each line of several labels
  NgramNumbers ngrams;                     // for a dictionary of n-grams, as are the next two
  std::vector<std::uint64_t> ngram_counts;
  std::vector<std::uint64_t> ngram_hashes;  // moved out of `ngrams`
  /// The number in the file of each BlockId; kUnknownName: not in the vocabulary.
  std::vector<FileId> label_ids;
  std::vector<FileId> word_ids;

  // One entry for each example.
  std::vector<BlockId> labels;         // kNoLabel: none; the first, where it has several
  std::vector<ClassId> classes;        // of the finished block
  std::vector<std::uint64_t> ends;     // where its features end
  std::vector<float> weights;          // empty: all are one
  FeatureId dimension = 0;             // index formats: the largest index + 1
  std::uint64_t dropped_features = 0;  // occurrences that a Featurizer's vocabulary lacks
  /// Of the examples, by their place in the block; those that are empty once it is finished.
  std::vector<RowGap> gaps;
  std::vector<std::string> kept;  // cells, as many for each example
  // One entry for each feature, repetitions included. Words of a dictionary, and their n-grams, are
  // names until the block is finished; indices and hashed words are features from the start.
  std::vector<BlockName, LargePageAllocator<BlockName>> names;
  std::vector<FeatureId, LargePageAllocator<FeatureId>> features;
  std::vector<float, LargePageAllocator<float>> values;

  std::size_t size() const { return ends.size(); }
  /// The features of a finished block.
  RowView row(std::size_t example) const {
    const std::uint64_t begin = example == 0 ? 0 : ends[example - 1];
    return {features.data() + begin, values.data() + begin,
            static_cast<std::uint32_t>(ends[example] - begin)};
  }
};

}  // namespace cane

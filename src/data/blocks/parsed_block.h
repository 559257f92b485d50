// A block of examples as columns. Names are numbered within the block, so that blocks can be parsed
// in any order; joining the blocks gives them numbers of the file, and finishing a block turns
// these into classes and features (see number_map.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cane/dataset.h"
#include "core/base/buffer.h"
#include "core/base/row_view.h"
#include "core/base/string_table.h"
#include "core/base/types.h"
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

/// The n-grams of a block of text, by their hashes, numbered in the order they come.
class NgramNumbers {
 public:
  std::uint32_t find_or_add(std::uint64_t hash) {
    if (2 * hashes_.size() >= slots_.size()) grow();
    std::size_t slot = slot_of(hash);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1)) {
      if (hashes_[slots_[slot]] == hash) return slots_[slot];
    }
    slots_[slot] = static_cast<std::uint32_t>(hashes_.size());
    hashes_.push_back(hash);
    return slots_[slot];
  }

  /// Number -> hash.
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  /// The same, moved out; the object is empty then.
  std::vector<std::uint64_t> take() { return std::exchange(*this, {}).hashes_; }

 private:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  std::size_t slot_of(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  void grow() {
    constexpr std::size_t kFirst = 64;
    slots_.assign(slots_.empty() ? kFirst : 2 * slots_.size(), kEmpty);
    for (std::uint32_t number = 0; number < hashes_.size(); ++number) {
      std::size_t slot = slot_of(hashes_[number]);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half of them taken
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

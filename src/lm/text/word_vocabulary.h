// The words of a language model, numbered by decreasing count (ties by first occurrence), so that
// frequent words are adjacent. <unk> stands for all words outside the vocabulary, <eos> for the end
// of a line; both are always present, and every count is at least one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.h"

namespace cane::lm {

using WordId = std::uint32_t;

struct VocabularyOptions {
  std::uint64_t min_count = 1;
  std::uint32_t most_words = 0;  // <unk> and <eos> included; 0: no limit
};

class WordVocabulary {
 public:
  static constexpr std::string_view kUnknown = "<unk>";
  static constexpr std::string_view kEndOfLine = "<eos>";

  /// Takes words and counts in order. Throws Error unless words are distinct and not empty, <unk>
  /// and <eos> are among them, and counts are positive and do not increase.
  WordVocabulary(std::span<const std::string> words, std::vector<std::uint64_t> counts);

  std::uint32_t size() const { return words_.size(); }
  std::string_view word(WordId id) const { return words_[id]; }
  std::span<const std::uint64_t> counts() const { return counts_; }
  WordId unknown() const { return unknown_; }
  WordId end_of_line() const { return end_of_line_; }
  /// Returns unknown() for a word that is not in the vocabulary.
  WordId find(std::string_view word) const;
  /// A checksum of the words and their order; counts do not matter.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  StringTable words_;
  std::vector<std::uint64_t> counts_;
  WordId unknown_ = 0;
  WordId end_of_line_ = 0;
  std::uint64_t fingerprint_ = 0;
};

/// Selects the words of a text by count. `renumbered` maps each raw number to its word.
WordVocabulary choose_words(const StringTable& raw_words, std::span<const std::uint64_t> counts,
                            std::uint64_t lines, const VocabularyOptions& options,
                            std::vector<WordId>& renumbered);

}  // namespace cane::lm

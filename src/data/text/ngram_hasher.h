// N-grams of words and of characters as 64-bit hashes. A word n-gram is a run of 2 or more words
// of one name space; a character n-gram is a run of code points of a word between two marks, which
// stand for its beginning and end and occur in no text. A mark alone is no n-gram; the whole word
// between its marks is one. Or the ends of long words alone: of one of more than five characters
// the first and the last five, of one of more than seven the first seven, too. Hashes grow by a
// word or a code point at a time, so that each n-gram costs one step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/text/text_format.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

class NgramHasher {
 public:
  explicit NgramHasher(const Ngrams& ngrams) : ngrams_(ngrams) {}

  /// Appends the n-grams of the words of a line. One of characters has the value of its word, one
  /// of words the value nearest to zero among them.
  void append(std::span<const WordFeature> words, std::vector<std::uint64_t>& hashes,
              std::vector<float>& values);

  /// Calls of_words(run, first, end, hash) and of_chars(word, first, end, hash) for each of them,
  /// in this order: words [first, end) of a run, or so many units of a word, its two marks
  /// included.
  template <typename OfWords, typename OfChars>
  void visit(std::span<const WordFeature> words, const OfWords& of_words, const OfChars& of_chars) {
    while (!words.empty()) {
      const auto run = words.first(length_of_run(words));
      const std::uint64_t start = start_of(run.front().name_space);
      if (ngrams_.words > 1) visit_words(run, start, of_words);
      if (ngrams_.characters.max > 0) {
        for (const WordFeature& word : run) visit_chars(word, start, of_chars);
      }
      words = words.subspan(run.size());
    }
  }

 private:
  static std::size_t length_of_run(std::span<const WordFeature> words);
  static std::uint64_t start_of(std::string_view name_space);
  static std::uint64_t extended(std::uint64_t hash, std::uint64_t unit) {
    return (hash ^ unit) * 0x9E37'79B9'7F4A'7C15;
  }
  // The last unit went through one product only: its high bits must be mixed, too.
  static std::uint64_t mixed(std::uint64_t hash) {
    return (hash ^ (hash >> 32)) * 0xD6E8'FEB8'6659'FD93;
  }
  void set_units(std::span<const WordFeature> words);
  void set_units(const WordFeature& word);

  template <typename OfWords>
  void visit_words(std::span<const WordFeature> run, std::uint64_t start, const OfWords& of_words) {
    set_units(run);
    for (std::size_t first = 0; first + 1 < run.size(); ++first) {
      const std::size_t end = std::min<std::size_t>(run.size(), first + ngrams_.words);
      std::uint64_t hash = extended(start, units_[first]);
      for (std::size_t i = first + 1; i < end; ++i) {
        hash = extended(hash, units_[i]);
        of_words(run, first, i + 1, mixed(hash));
      }
    }
  }

  template <typename OfChars>
  void visit_chars(const WordFeature& word, std::uint64_t start, const OfChars& of_chars) {
    const auto [shortest, longest] = ngrams_.characters;
    set_units(word);
    if (ngrams_.characters == CharNgrams::ends()) return visit_ends(word, start, of_chars);
    for (std::size_t first = 0; first < units_.size(); ++first) {
      const std::size_t end = std::min<std::size_t>(units_.size(), first + longest);
      std::uint64_t hash = start;
      for (std::size_t i = first; i < end; ++i) {
        hash = extended(hash, units_[i]);
        const std::size_t length = i + 1 - first;
        const bool is_mark = length == 1 && (i == 0 || i + 1 == units_.size());
        if (length >= shortest && !is_mark) of_chars(word, first, i + 1, mixed(hash));
      }
    }
  }

  template <typename OfChars>
  void visit_ends(const WordFeature& word, std::uint64_t start, const OfChars& of_chars) {
    const std::size_t marked = units_.size();
    const auto visit = [&](std::size_t first, std::size_t end) {
      std::uint64_t hash = start;
      for (std::size_t i = first; i < end; ++i) hash = extended(hash, units_[i]);
      of_chars(word, first, end, mixed(hash));
    };
    if (marked > kEnd + 2) {
      visit(0, 1 + kEnd);
      visit(marked - 1 - kEnd, marked);
    }
    if (marked > kLongEnd + 2) visit(0, 1 + kLongEnd);
  }

  static constexpr std::size_t kEnd = 5;
  static constexpr std::size_t kLongEnd = CharNgrams::ends().max;
  Ngrams ngrams_;
  std::vector<std::uint64_t> units_;  // the words of a run or the characters of a word, hashed
};

}  // namespace cane

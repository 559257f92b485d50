// N-grams of words and of characters as 64-bit hashes. A word n-gram is a run of 2 or more words
// of one name space; a character n-gram is a run of code points of a word between two marks, which
// stand for its beginning and end and occur in no text. A mark alone is no n-gram; the whole word
// between its marks is one. Hashes grow by a word or a code point at a time, so that each n-gram
// costs one step.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/text/text_format.h"
#include "data/text/vocabulary.h"

namespace cane {

class NgramHasher {
 public:
  explicit NgramHasher(const Ngrams& ngrams) : ngrams_(ngrams) {}

  /// Appends the n-grams of the words of a line. One of characters has the value of its word, one
  /// of words the value nearest to zero among them.
  void append(std::span<const WordFeature> words, std::vector<std::uint64_t>& hashes,
              std::vector<float>& values);

 private:
  void append_word_ngrams(std::span<const WordFeature> words, std::uint64_t start,
                          std::vector<std::uint64_t>& hashes, std::vector<float>& values);
  void append_char_ngrams(const WordFeature& word, std::uint64_t start,
                          std::vector<std::uint64_t>& hashes, std::vector<float>& values);

  Ngrams ngrams_;
  std::vector<std::uint64_t> units_;  // the words of a run or the characters of a word, hashed
};

}  // namespace cane

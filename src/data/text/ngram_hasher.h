// N-grams of words and of characters as hashed features. A word n-gram is a run of 2 or more words
// of one name space; a character n-gram is a run of code points of a word between two marks, which
// stand for its beginning and end and occur in no text. A mark alone is no n-gram; the whole word
// between its marks is one. Hashes grow by a word or a code point at a time, so that each n-gram
// costs one step.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "data/text/text_format.h"
#include "data/text/vocabulary.h"

namespace cane {

class NgramHasher {
 public:
  /// In a block of text with a dictionary, features with this bit are n-grams, those without it
  /// numbers of words.
  static constexpr FeatureId kMark = FeatureId{1} << 31;

  /// `kind` is that of the words; `hash_bits` counts if they are hashed.
  NgramHasher(const Ngrams& ngrams, FeatureKind kind, std::uint32_t hash_bits);

  /// Appends the n-grams of the words of a line. One of characters has the value of its word, one
  /// of words the value nearest to zero among them.
  void append(std::span<const WordFeature> words, std::vector<FeatureId>& features,
              std::vector<float>& values);

 private:
  void append_word_ngrams(std::span<const WordFeature> words, std::uint64_t start,
                          std::vector<FeatureId>& features, std::vector<float>& values);
  void append_char_ngrams(const WordFeature& word, std::uint64_t start,
                          std::vector<FeatureId>& features, std::vector<float>& values);
  FeatureId feature_of(std::uint64_t hash) const;

  Ngrams ngrams_;
  unsigned shift_;
  FeatureId mark_;
  std::vector<std::uint64_t> units_;  // the words of a run or the characters of a word, hashed
};

}  // namespace cane

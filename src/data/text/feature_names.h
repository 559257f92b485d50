// What the features of a line are called: words, and the text of n-grams, whose features are
// hashes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/block_parser.h"
#include "data/text/ngram_hasher.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// The texts of the n-grams of these words, in the order in which an NgramHasher appends them. The
/// ends of a word are '<' and '>'.
std::vector<std::string> ngram_texts(std::span<const WordFeature> words, const Ngrams& ngrams);

class LineNames {
 public:
  /// The parser must be one for this vocabulary, which must outlive the object.
  LineNames(std::string_view line, const BlockParser& parser, const Vocabulary& vocabulary);

  /// Several names with " | " between them, where they share a feature.
  std::string name(FeatureId feature) const;

 private:
  void add(FeatureId feature, const std::string& name);

  const Vocabulary& vocabulary_;
  std::map<FeatureId, std::vector<std::string>> names_;  // those that the vocabulary lacks
};

}  // namespace cane

#include "cane/features.h"

#include "data/vocabulary/vocabulary.h"
#include "model/model_data.h"

namespace cane {

DataOptions with_features_of(const Model& model, const DataOptions& options) {
  const Vocabulary& known = model.data().vocabulary;
  DataOptions same = options;
  same.weights = known.weights;
  same.normalize = known.normalize;
  same.multi_label = known.multi_label;
  if (known.feature_kind == FeatureKind::kIndices) return same;
  same.tokenizer = known.tokenizer;
  same.hash_bits = known.hash_bits;
  same.word_ngrams = known.ngrams.words;
  same.char_ngrams = known.ngrams.characters;
  same.ngram_bits = known.ngrams.bits;
  return same;
}

}  // namespace cane

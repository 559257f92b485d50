#include "data/vocabulary/vocabulary.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace cane {
namespace CANE_THIS_FILE {

TEST(Fingerprint, ChangesWithEveryPart) {
  Vocabulary base;
  base.labels = {"a", "bc"};
  base.words = {"x"};
  std::vector<Vocabulary> variants(17, base);
  variants[1].labels = {"ab", "c"};
  variants[2].labels = {"bc", "a"};
  variants[3].words = {"x", ""};
  variants[4].words = {};
  variants[5].feature_kind = FeatureKind::kHashedWords;
  variants[6].hash_bits = 18;
  variants[7].dimension = 1;
  variants[8].normalize = Normalize::kL2;
  variants[9].ngrams.words = 2;
  variants[10].ngrams.characters.min = 2;
  variants[11].ngrams.characters.max = 2;
  variants[12].ngrams.bits = 2;
  variants[13].tokenizer = TokenizerKind::kWords;
  variants[14].weights = FeatureWeights::kTfidf;
  variants[15].weights = FeatureWeights::kTfidf;
  variants[15].factors = {1.0F};
  variants[16].feature_kind = FeatureKind::kWords;
  variants[16].ngrams.words = 2;
  variants[16].ngram_hashes = {7};
  std::set<std::uint64_t> prints;
  for (const Vocabulary& variant : variants) prints.insert(fingerprint(variant));
  EXPECT_EQ(prints.size(), variants.size());
  EXPECT_EQ(fingerprint(base), fingerprint(Vocabulary(base)));
}

TEST(VocabularyValidation, FindsWhatCannotBe) {
  const auto fault = [](const auto& change) {
    Vocabulary vocabulary;
    vocabulary.feature_kind = FeatureKind::kWords;
    vocabulary.words = {"x", "y"};
    vocabulary.ngrams = {2, {3, 5}, 4};
    vocabulary.dimension = 2 + 16;
    change(vocabulary);
    const char* const what = validation_error(vocabulary);
    return std::string(what == nullptr ? "" : what);
  };
  const std::string kNgrams = "its n-grams are out of range";
  const std::string kNgramBits = "its ngram_bits do not fit its features";
  const std::string kHashBits = "its hash_bits do not fit its features";
  EXPECT_EQ(fault([](Vocabulary&) {}), "");
  EXPECT_EQ(validation_error(Vocabulary{}), nullptr);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.words = 0; }), kNgrams);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.words = 9; }), kNgrams);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.characters = {5, 3}; }), kNgrams);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.characters = {0, 3}; }), kNgrams);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.characters = {3, 17}; }), kNgrams);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.bits = 0; }), "the words do not fit the weights");
  const auto dictionary_fault = [&](std::vector<std::uint64_t> hashes) {
    return fault([&](Vocabulary& v) {
      v.ngrams.bits = 0;
      v.ngram_hashes = std::move(hashes);
      v.dimension = static_cast<FeatureId>(2 + v.ngram_hashes.size());
    });
  };
  EXPECT_EQ(dictionary_fault({}), "");
  EXPECT_EQ(dictionary_fault({5, 7}), "");
  EXPECT_EQ(dictionary_fault({7, 5}), "its dictionary of n-grams is none");
  EXPECT_EQ(dictionary_fault({5, 5}), "its dictionary of n-grams is none");
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngram_hashes = {5}; }),
            "its dictionary of n-grams is none");
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams.bits = 31; }), kNgramBits);
  EXPECT_EQ(fault([](Vocabulary& v) { v.ngrams = {1, {}, 4}; }), kNgramBits);
  EXPECT_EQ(fault([](Vocabulary& v) { v.hash_bits = 4; }), kHashBits);
  const std::string kOpen = "it leaves open how its features are made";
  EXPECT_EQ(fault([](Vocabulary& v) { v.tokenizer = TokenizerKind::kAuto; }), kOpen);
  EXPECT_EQ(fault([](Vocabulary& v) { v.weights = FeatureWeights::kAuto; }), kOpen);
  EXPECT_EQ(fault([](Vocabulary& v) { v.normalize = Normalize::kAuto; }), kOpen);
  EXPECT_EQ(fault([](Vocabulary& v) { v.multi_label = MultiLabel::kAuto; }), kOpen);
  const std::string kFactors = "the weights of its features do not fit them";
  EXPECT_EQ(fault([](Vocabulary& v) { v.factors.assign(18, 1.0F); }), kFactors);
  const auto weighted_fault = [&](std::size_t factors, float factor) {
    return fault([&](Vocabulary& v) {
      v.weights = FeatureWeights::kTfidf;
      v.factors.assign(factors, factor);
    });
  };
  EXPECT_EQ(weighted_fault(18, 1.0F), "");
  EXPECT_EQ(weighted_fault(17, 1.0F), kFactors);
  EXPECT_EQ(weighted_fault(18, -1.0F), kFactors);
  EXPECT_EQ(weighted_fault(18, 1e9F), kFactors);
  EXPECT_EQ(weighted_fault(18, std::numeric_limits<float>::quiet_NaN()), kFactors);
  EXPECT_EQ(fault([](Vocabulary& v) { v.dimension = 2; }), "the words do not fit the weights");
  EXPECT_EQ(fault([](Vocabulary& v) { v.words.pop_back(); }), "the words do not fit the weights");
  EXPECT_EQ(fault([](Vocabulary& v) { v.feature_kind = FeatureKind::kIndices; }),
            "its features are indices, but it asks for n-grams of words");
  const auto hashed_fault = [&](std::uint32_t hash_bits, FeatureId dimension) {
    return fault([&](Vocabulary& v) {
      v.feature_kind = FeatureKind::kHashedWords;
      v.words.clear();
      v.ngrams.bits = 0;
      v.hash_bits = hash_bits;
      v.dimension = dimension;
    });
  };
  EXPECT_EQ(hashed_fault(5, 32), "");
  EXPECT_EQ(hashed_fault(0, 1), kHashBits);
  EXPECT_EQ(hashed_fault(64, 1), kHashBits);
  EXPECT_EQ(hashed_fault(5, 33), "the words do not fit the weights");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

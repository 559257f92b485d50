#include "data/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Vocabulary words(std::vector<std::string> names) {
  Vocabulary vocabulary;
  vocabulary.feature_kind = FeatureKind::kWords;
  vocabulary.dimension = static_cast<FeatureId>(names.size()) + 8;  // n-grams behind the words
  vocabulary.words = std::move(names);
  return vocabulary;
}

constexpr RowLengths kLengths = {1.0F, 2.0F, 3.0F};

TEST(FitCheck, CountsWordsAndNotTheirNgrams) {
  const Vocabulary vocabulary = words({"a", "b"});
  const std::array<FeatureId, 4> features = {0, 2, 3, 4};
  const std::array<float, 4> values = {1, 1, 1, 1};
  FitCheck check(vocabulary, kLengths);
  check.look({features.data(), values.data(), 4});
  EXPECT_THAT(check.warnings(1.0), IsEmpty());
  EXPECT_THAT(check.warnings(3.0), ElementsAre(HasSubstr("75% of the words were never seen")));
}

TEST(FitCheck, KnowsAnotherScaleBothWays) {
  const Vocabulary vocabulary;
  for (const auto& [value, is_far] : {std::pair(8.0F, false), std::pair(10.0F, true),
                                      std::pair(0.4F, false), std::pair(0.3F, true)}) {
    FitCheck check(vocabulary, kLengths);
    check.look({nullptr, &value, 1});
    EXPECT_EQ(!check.warnings(0.0).empty(), is_far) << value;
  }
  FitCheck unknown(vocabulary, {});
  const float value = 1e6F;
  unknown.look({nullptr, &value, 1});
  EXPECT_THAT(unknown.warnings(0.0), IsEmpty());
}

TEST(FitCheck, TellsOfFeaturesThatTheModelLacks) {
  Vocabulary vocabulary;
  vocabulary.dimension = 11;
  EXPECT_THAT(FitCheck(vocabulary, {}).warnings(0.01), ElementsAre(HasSubstr("beyond the 11")));
  EXPECT_THAT(FitCheck(vocabulary, {}).warnings(0.0), IsEmpty());
}

TEST(RowLengths, AreQuantilesOfRowsWithFeatures) {
  std::vector<float> lengths = {0.0F, 0.0F};
  for (int i = 100; i > 0; --i) lengths.push_back(static_cast<float>(i));
  EXPECT_EQ(quantiles_of(lengths), (RowLengths{5.0F, 50.0F, 95.0F}));
  EXPECT_FALSE(quantiles_of({0.0F}).is_known());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

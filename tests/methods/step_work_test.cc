#include "methods/step_work.h"

#include <gtest/gtest.h>

namespace cane {
namespace CANE_THIS_FILE {

// How many searches it costs to score all classes.
double searches_for_all(SelectorKind select, std::uint32_t classes) {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = select;
  const DataFacts facts = {.classes = classes, .dimension = 128, .examples = 100'000};
  const TrainConfig chosen = resolve(config, facts).config;
  return normalizer_work(chosen, facts) / prediction_work(chosen, facts);
}

TEST(NormalizerWork, GrowsWithTheClassesThatASearchLeavesOut) {
  for (const SelectorKind select : {SelectorKind::kBeam, SelectorKind::kCentroid}) {
    EXPECT_LT(searches_for_all(select, 500), 4.0);
    EXPECT_GT(searches_for_all(select, 1'000'000), 100.0);
  }
}

TEST(NormalizerWork, IsAboutThatOfASearchThatLooksAtAllClasses) {
  for (const std::uint32_t classes : {500U, 1'000'000U}) {
    EXPECT_LT(searches_for_all(SelectorKind::kNarrow, classes), 4.0);
    EXPECT_LE(searches_for_all(SelectorKind::kExact, classes), 1.0);
  }
}

TEST(StepWork, GrowsWithWhatIsScored) {
  const auto work = [&](Method method, std::uint32_t classes, std::uint32_t dimension) {
    TrainConfig asked;
    asked.method = method;
    const DataFacts facts = {classes, dimension, 1000, 1.0};
    return step_work(resolve(asked, facts).config, facts);
  };
  EXPECT_GT(work(Method::kSoftmax, 2000, 100), 1.9 * work(Method::kSoftmax, 1000, 100));
  EXPECT_GT(work(Method::kSoftmax, 1000, 200), 1.5 * work(Method::kSoftmax, 1000, 100));
  EXPECT_EQ(work(Method::kNce, 2000, 100), work(Method::kNce, 1000, 100));
  EXPECT_LT(work(Method::kHsm, 1'000'000, 100), 3.0 * work(Method::kHsm, 1000, 100));
  EXPECT_LT(work(Method::kCane, 100'000, 100), 0.1 * work(Method::kSoftmax, 100'000, 100));
}

TEST(StepWork, CountsWhereSparseRowsLie) {
  const auto share = [&](double density) {
    const DataFacts facts = {20'000, 2000, 1000, density};
    const auto work = [&](Method method) {
      TrainConfig asked;
      asked.method = method;
      asked.noises = method == Method::kNce ? 50 : 0;
      return step_work(resolve(asked, facts).config, facts);
    };
    return work(Method::kNce) / work(Method::kHsm);
  };
  EXPECT_GT(share(0.004), 2.0) << "each noise is somewhere else";
  EXPECT_LT(share(1.0), 1.0);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

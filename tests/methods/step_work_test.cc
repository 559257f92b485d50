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

}  // namespace CANE_THIS_FILE
}  // namespace cane

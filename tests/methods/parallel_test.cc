#include "methods/parallel.h"

#include <gtest/gtest.h>

namespace cane {
namespace CANE_THIS_FILE {

DataFacts facts_of_classes(std::uint32_t classes) {
  return {.classes = classes, .dimension = 100, .examples = 1'000'000, .density = 1.0};
}

TEST(BatchOfRanks, IsSmallerWhereClassesAreFew) {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kNarrow;
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(1000), 8), 7U);
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(1000), 4), 15U);
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(300), 64), 4U);
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(100'000), 8), 16U);
}

TEST(BatchOfRanks, IsLeftToOthersWhereRanksShareBatchesOrItIsGiven) {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kNarrow;
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(1000), 1), 0U);
  config.batch = 40;
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(1000), 8), 40U);
  config.batch = 0;
  config.deterministic = true;
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(1000), 8), 0U);
  config.deterministic = false;
  config.select = SelectorKind::kBeam;
  EXPECT_EQ(batch_of_ranks(config, facts_of_classes(1000), 8), 0U);
}

TEST(OptionsForClasses, TakeListsThatABatchShares) {
  const DataFacts facts = facts_of_classes(1000);
  TrainConfig config;
  EXPECT_EQ(options_for_classes(config).method, Method::kCane);
  EXPECT_EQ(options_for_classes(config).select, SelectorKind::kNone);
  EXPECT_TRUE(can_share_classes(config, facts));
  config.select = SelectorKind::kNarrow;
  EXPECT_FALSE(can_share_classes(config, facts));
  config.select = SelectorKind::kFrequent;
  EXPECT_EQ(options_for_classes(config).select, SelectorKind::kFrequent);
  config = {};
  config.method = Method::kSoftmax;
  EXPECT_EQ(options_for_classes(config).select, SelectorKind::kAuto);
  EXPECT_TRUE(can_share_classes(config, facts));
  config.method = Method::kHsm;
  EXPECT_FALSE(can_share_classes(config, facts));
  config = {};
  config.device = "cuda";
  EXPECT_FALSE(can_share_classes(config, facts));
}

TEST(OptionsForClasses, WantRowsThatFitACacheOrAnEncoder) {
  DataFacts facts = facts_of_classes(1000);
  facts.dimension = 100'000;
  TrainConfig config;
  EXPECT_FALSE(can_share_classes(config, facts));
  config.encoder = EncoderKind::kBag;
  EXPECT_TRUE(can_share_classes(config, facts));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

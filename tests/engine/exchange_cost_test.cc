#include "engine/exchange_cost.h"

#include <gtest/gtest.h>

namespace cane {
namespace {

ExchangeMeasures some_measures() {
  return {.examples = 1'000'000,
          .classes = 100'000,
          .batch = 16,
          .batch_seconds = 1e-3,
          .sent_lines = {100, 190, 350, 600, 1000},
          .changed_lines = {200, 380, 700, 1200, 2000},
          .take_seconds = 1e-8,
          .add_seconds = 1e-8,
          .lines = 1e6};
}

constexpr double kFast = 1e12;  // bytes a second

TEST(ExchangeCost, LinesAreThoseMeasuredAndThenApproachAll) {
  const ExchangeMeasures measures = some_measures();
  const auto sent_after = [&](double batches) {
    return lines_after(measures.sent_lines, batches, measures.lines);
  };
  EXPECT_NEAR(sent_after(1), 100, 1e-9);
  EXPECT_NEAR(sent_after(4), 350, 1e-9);
  EXPECT_GT(sent_after(3), 190);
  EXPECT_LT(sent_after(3), 350);
  EXPECT_NEAR(sent_after(16), 1000, 1e-6);
  EXPECT_NEAR(sent_after(32), 2000, 2);
  EXPECT_NEAR(sent_after(1e9), measures.lines, 1);
}

TEST(ExchangeCost, AFastNetworkDividesTheTime) {
  const RankEstimate estimate = exchange_cost(some_measures(), {4, kFast});
  const double alone = 1'000'000 / 16 * 1e-3;
  EXPECT_NEAR(estimate.seconds, alone / 4, 0.05 * alone / 4);
  EXPECT_EQ(estimate.examples_between, 4 * 16U);
}

TEST(ExchangeCost, ASlowNetworkMakesExchangesRare) {
  const RankEstimate fast = exchange_cost(some_measures(), {4, kFast});
  const RankEstimate slow = exchange_cost(some_measures(), {4, 1e6});
  EXPECT_GT(slow.examples_between, fast.examples_between);
  EXPECT_LT(slow.sent_bytes, fast.sent_bytes);
  EXPECT_GT(slow.seconds, fast.seconds);
}

TEST(ExchangeCost, CountsWhatARankSendsToAllOthers) {
  const ExchangeMeasures measures = some_measures();
  const RankEstimate estimate = exchange_cost(measures, {2, kFast});
  const double exchanges = 1'000'000 / 16 / 2.0;
  const auto changed_after = [&](double batches) {
    return lines_after(measures.changed_lines, batches, measures.lines);
  };
  const double settled = 0.5 * (68 * changed_after(31250) + 64 * changed_after(62500));
  EXPECT_NEAR(estimate.sent_bytes, exchanges * 100 * 36 + settled, 1e-6 * estimate.sent_bytes);
}

TEST(SliceCost, OnlyComputingIsShared) {
  const SliceMeasures measures = {.examples = 1600,
                                  .batch = 16,
                                  .computing = 1e-2,
                                  .updating = 5e-3,
                                  .packing = 0.0,
                                  .bytes = 1000};
  const RankEstimate estimate = slice_cost(measures, {3, kFast});
  EXPECT_NEAR(estimate.seconds, 100 * 1.5e-2, 0.01);
  EXPECT_EQ(estimate.sent_bytes, 100 * 1000 * 2.0);
}

TEST(ClassCost, EveryExampleGoesToEveryRank) {
  const RankEstimate estimate =
      class_cost({.examples = 6400, .batch = 64, .batch_seconds = 1e-2, .bytes = 150}, {8, 1e6});
  EXPECT_EQ(estimate.sent_bytes, 6400 * 150 * 7.0);
  EXPECT_NEAR(estimate.seconds, 1.0 + 6.72, 0.1);
}

}  // namespace
}  // namespace cane

// Labels: threads
// What a dry run says of several ranks, beside what they send when they train.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "cane/train.h"
#include "support/error_text.h"
#include "support/small_dataset.h"
#include "support/thread_ranks.h"

namespace cane {
namespace {

constexpr int kRanks = 3;

TrainConfig small_config() {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kNarrow;
  config.epochs = 1;
  config.threads = 1;
  config.pilot = PilotKind::kOff;
  config.calibrate = false;
  return config;
}

Dataset some_data() {
  testing::SmallDataOptions options;
  options.examples = 4000;
  options.classes = 600;
  options.sparse = false;
  return testing::small_dataset(options);
}

double bytes_sent(const Dataset& data, const TrainConfig& config) {
  double sent = 0.0;
  std::mutex mutex;
  run_ranks(kRanks, [&](Communicator& communicator) {
    const Ranks ranks(std::shared_ptr<Communicator>(std::shared_ptr<void>(), &communicator));
    const TrainResult result = train(data, config, nullptr, nullptr, ranks);
    const std::lock_guard lock(mutex);
    sent += static_cast<double>(result.bytes_sent) / kRanks;
  });
  return sent;
}

struct Way {
  const char* name;
  ParallelKind parallel;
  bool deterministic = false;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class RankEstimateOf : public ::testing::TestWithParam<Way> {};

TEST_P(RankEstimateOf, SaysWhatRanksSend) {
  const Dataset data = some_data();
  TrainConfig config = small_config();
  config.parallel = GetParam().parallel;
  config.deterministic = GetParam().deterministic;
  const RankEstimate estimate = estimate_ranks(data, config, {.ranks = kRanks});
  EXPECT_EQ(estimate.parallel, GetParam().parallel);
  EXPECT_GT(estimate.seconds, estimate.exchange_seconds);
  EXPECT_GT(estimate.memory_bytes, 600U * 20U);
  const double measured = bytes_sent(data, config);
  EXPECT_GT(measured, 0.0);
  EXPECT_NEAR(estimate.sent_bytes, measured, 0.25 * measured);
}

INSTANTIATE_TEST_SUITE_P(Ways, RankEstimateOf,
                         ::testing::Values(Way{"Data", ParallelKind::kData},
                                           Way{"Slices", ParallelKind::kData, true},
                                           Way{"Classes", ParallelKind::kClasses}),
                         ::testing::PrintToStringParamName());

TEST(RankEstimate, RefusesWhatRanksCannotShare) {
  TrainConfig config = small_config();
  config.method = Method::kLomTree;
  config.select = SelectorKind::kAuto;
  const std::string text =
      testing::error_text([&] { estimate_ranks(some_data(), config, {.ranks = kRanks}); });
  EXPECT_NE(text.find("one process"), std::string::npos) << text;
}

TEST(RankEstimate, PicksClassesNeverWhereAllFit) {
  const RankEstimate estimate = estimate_ranks(some_data(), small_config(), {.ranks = kRanks});
  EXPECT_EQ(estimate.parallel, ParallelKind::kData);
}

}  // namespace
}  // namespace cane

// Labels: threads
// Whole trainings in which searches are remembered.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/method_rows.h"
#include "support/small_data.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::MethodRow;
using testing::SmallData;
using testing::Training;

class ReuseTrainingThreads : public ::testing::TestWithParam<MethodRow> {
 protected:
  ReuseTrainingThreads() : data_(options()), config_(GetParam().config) {
    config_.reuse = 2;
    config_.lr = 0.1F;
    config_.batch = 40;
    config_.epochs = 6;
    config_.threads = 1;
    config_.deterministic = true;
  }
  static testing::SmallDataOptions options() {
    testing::SmallDataOptions options;
    options.examples = 300;
    options.dimension = 10;
    options.noise = 0.2F;
    return options;
  }
  std::vector<float> weights() const {
    Training run(data_, config_);
    run.start();
    run.run_all();
    return run.weights();
  }

  SmallData data_;
  TrainConfig config_;
};

TEST_P(ReuseTrainingThreads, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto one = weights();
  for (const int threads : {2, 4}) {
    config_.threads = threads;
    ASSERT_EQ(one, weights()) << threads << " threads";
  }
}

TEST_P(ReuseTrainingThreads, ScoresWhatItRemembersAlone) {
  Training run(data_, config_);
  run.start();
  std::vector<std::uint64_t> rows;
  for (; run.state.loop.epoch < 4; ++run.state.loop.epoch) {
    ASSERT_TRUE(run.trainer.run_epoch([] { return true; }));
    rows.push_back(run.state.totals.rows_scored);
    EXPECT_EQ(run.state.totals.examples, 300U);
    run.state.next_batch = 0;
    run.state.totals = {};
  }
  EXPECT_LE(rows[3], rows[2]);
  // The row of a class is one of weights where no path is summed.
  if (run.config.scorer == ScorerKind::kFlat) {
    EXPECT_LE(rows[3], 300U * (run.config.beam + run.config.noises));
  }
}

TEST_P(ReuseTrainingThreads, LearnsWithThreadsThatShareTheWeights) {
  config_.deterministic = false;
  config_.threads = 4;
  config_.batch = 16;
  config_.epochs = 10;
  Training run(data_, config_);
  run.start();
  run.run_all();
  EXPECT_GT(run.accuracy(), 0.8);
}

TEST_P(ReuseTrainingThreads, LearnsOneBatchAfterTheOther) {
  config_.batch = 16;
  config_.epochs = 10;
  Training run(data_, config_);
  run.start();
  run.run_all();
  EXPECT_GT(run.accuracy(), 0.8);
}

// What is remembered is no part of a checkpoint.
TEST_P(ReuseTrainingThreads, GoesOnToTheSameBitsWhereItSearchesAnyway) {
  Training whole(data_, config_);
  whole.start();
  Training first(data_, config_);
  first.start();
  whole.run_all();
  for (; first.state.loop.epoch < 4; ++first.state.loop.epoch) {
    ASSERT_TRUE(first.trainer.run_epoch([] { return true; }));
    first.state.next_batch = 0;
  }
  Training second(data_, config_);
  second.start();
  for (std::size_t table = 0; table < first.state.weights.size(); ++table) {
    std::ranges::copy(first.state.weights[table].span(), second.state.weights[table].data());
  }
  second.state.loop.epoch = 4;
  second.run_all();
  EXPECT_EQ(whole.weights(), second.weights());
}

std::vector<MethodRow> remembered_rows() {
  std::vector<MethodRow> rows;
  for (const MethodRow& row : testing::method_rows()) {
    for (const char* name :
         {"narrow", "narrow_unigram", "tree", "tree_path", "centroid", "exact"}) {
      if (row.name == name) rows.push_back(row);
    }
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(EverySelector, ReuseTrainingThreads,
                         ::testing::ValuesIn(remembered_rows()), testing::RowName());

}  // namespace CANE_THIS_FILE
}  // namespace cane

// Labels: threads
// What the loop promises, for every method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cane/names.h"
#include "methods/selector_table.h"
#include "support/error_text.h"
#include "support/method_rows.h"
#include "support/small_data.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::MethodRow;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

SmallDataOptions easy_data(std::uint32_t examples = 300) {
  SmallDataOptions options;
  options.examples = examples;
  options.dimension = 10;
  options.noise = 0.2F;
  return options;
}

class EveryMethodThreads : public ::testing::TestWithParam<MethodRow> {
 protected:
  static TrainConfig config(WhitenKind whiten = WhitenKind::kAuto) {
    TrainConfig config = GetParam().config;
    config.whiten = whiten;
    // The gradient of one-vs-each is that of all rivals together.
    config.lr = config.method == Method::kOve ? 0.01F : GetParam().is_online_tree() ? 0.5F : 0.1F;
    config.batch = 16;
    config.epochs = 2;
    config.threads = 1;
    config.deterministic = true;
    config.start = StartKind::kZero;
    // Whitened rows are longer.
    const DataFacts facts = {20, easy_data().dimension, easy_data().examples, 1.0};
    if (resolve(config, facts).config.whiten == WhitenKind::kAuto) config.lr = 0.005F;
    return config;
  }
};

TEST_P(EveryMethodThreads, GivesTheSameBitsForAnyNumberOfThreads) {
  const SmallData data(easy_data());
  TrainConfig config = EveryMethodThreads::config();
  config.batch = 40;
  Training one(data, config);
  one.start();
  one.run_all();
  for (const int threads : {2, 4}) {
    config.threads = threads;
    Training several(data, config);
    several.start();
    several.run_all();
    ASSERT_EQ(one.weights(), several.weights()) << threads << " threads";
    ASSERT_EQ(one.last_loss, several.last_loss);
  }
}

TEST_P(EveryMethodThreads, LearnsWithThreadsThatShareTheWeights) {
  const SmallData data(easy_data(600));
  // Whitened steps leave little to learn after the first epoch.
  TrainConfig config = EveryMethodThreads::config(WhitenKind::kOff);
  config.deterministic = false;
  config.threads = 4;
  config.epochs = 10;
  Training run(data, config);
  run.start();
  ASSERT_TRUE(run.trainer.run_epoch([] { return true; }));
  EXPECT_EQ(run.state.totals.examples, 600U);
  const double first_loss = run.state.totals.loss / run.state.totals.weight;
  ++run.state.loop.epoch;
  run.state.next_batch = 0;
  run.state.totals = {};
  run.run_all();
  EXPECT_LT(run.last_loss, 0.7 * first_loss);
  // A blind guess is right in one of twenty. Threads that meet in a weight cost a point or two,
  // once in some hundred runs.
  EXPECT_GT(run.accuracy(), GetParam().accuracy - 0.02);
}

TEST_P(EveryMethodThreads, StopsAfterWholeBatchesAndGoesOnToTheSameBits) {
  const SmallData data(easy_data());
  TrainConfig config = EveryMethodThreads::config();
  config.threads = 2;
  Training whole(data, config);
  whole.start();
  whole.run_all();
  Training stopped(data, config);
  stopped.start();
  // 19 batches an epoch. An index is made anew every 5, and whenever training goes on: only there
  // is what it finds the same.
  const std::uint64_t stop_after = row_of(config.select).indexes_tree ? 5 : 7;
  std::uint64_t batches = 0;
  EXPECT_FALSE(stopped.trainer.run_epoch([&] { return ++batches < stop_after; }));
  EXPECT_EQ(stopped.state.next_batch, stop_after);
  stopped.run_all();
  EXPECT_EQ(whole.weights(), stopped.weights());
}

TEST_P(EveryMethodThreads, SaysSoWhenTheLossIsNoLongerANumber) {
  for (const bool deterministic : {true, false}) {
    SmallData data(easy_data());
    data.set_weights(std::vector<float>(300, 1e30F));
    TrainConfig config = EveryMethodThreads::config();
    config.deterministic = deterministic;
    config.threads = 2;
    config.lr = 1e30F;
    Training run(data, config);
    const bool is_encoded = has_encoder(config);
    if (GetParam().is_online_tree() && is_encoded) run.start();
    if (GetParam().is_online_tree() && !is_encoded) {
      // Its steps never overshoot: there is nothing to say.
      EXPECT_NO_THROW(run.run_all());
      for (const float weight : run.weights()) ASSERT_TRUE(std::isfinite(weight));
      continue;
    }
    const std::string message = testing::error_text([&] { run.run_all(); });
    EXPECT_THAT(message, ::testing::HasSubstr("the loss"));
    EXPECT_THAT(message, ::testing::HasSubstr("`lr`"));
  }
}

TEST_P(EveryMethodThreads, SaysSoWhenTheLossExplodes) {
  if (GetParam().is_online_tree()) GTEST_SKIP() << "its steps never overshoot";
  const SmallData data(easy_data(1000));
  TrainConfig config = EveryMethodThreads::config();
  config.threads = 2;
  config.lr = 1e5F;
  Training run(data, config);
  run.start();
  const std::string message = testing::error_text([&] { run.run_all(); });
  EXPECT_THAT(message, ::testing::HasSubstr("the loss"));
}

TEST_P(EveryMethodThreads, AnExampleOfWeightZeroTeachesTheClassesNothing) {
  SmallData data(easy_data());
  data.set_weights(std::vector<float>(300, 0.0F));
  Training run(data, config());
  run.start();
  ASSERT_TRUE(run.trainer.run_epoch([] { return true; }));
  EXPECT_EQ(run.state.totals.weight, 0.0);
  for (const float weight : run.state.weights[kClassTable].span()) ASSERT_EQ(weight, 0.0F);
}

TEST_P(EveryMethodThreads, TakesSparseExamples) {
  SmallDataOptions options = easy_data(600);
  options.sparse = true;
  options.one_in = 12;
  options.dimension = 240;
  const SmallData data(options);
  const DatasetView view = data.view();
  TrainConfig config = EveryMethodThreads::config();
  config.deterministic = false;
  config.threads = 2;
  config.epochs = 10;
  Training run(data, config);
  ASSERT_EQ(run.model.flat_width, has_dense_rows(config, view.density()) ? kRowWidth : kPanelWidth);
  run.start();
  run.run_all();
  EXPECT_GT(run.accuracy(), GetParam().accuracy);
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethodThreads, ::testing::ValuesIn(testing::method_rows()),
                         testing::RowName());

// The loss of one-vs-each grows with the classes; that alone is no explosion.
TEST(EveryMethod, ManyClassesAreNoExplosion) {
  SmallDataOptions options;
  options.classes = 30'000;
  options.examples = 40;
  options.dimension = 1;
  const SmallData data(options);
  for (const Method method : {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout,
                              Method::kOve, Method::kCss, Method::kHsm, Method::kCane}) {
    TrainConfig config;
    config.method = method;
    config.epochs = 1;
    config.lr = 1e-6F;
    config.threads = 1;
    Training run(data, config, options.classes);
    EXPECT_NO_THROW(run.run_all()) << name_of(method);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

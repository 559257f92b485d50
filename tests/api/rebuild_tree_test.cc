// Labels: threads
#include "train/clusters/rebuild_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cane/cane.h"
#include "support/error_text.h"
#include "support/stop_after.h"
#include "support/training_files.h"
#include "train/checkpoint.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::StopAfter;
using testing::TrainingFiles;

TrainConfig config_with(SelectorKind select) {
  TrainConfig config = TrainingFiles::config();
  config.select = select;
  config.rank = 6;
  config.start = StartKind::kZero;  // from the class means the same tree would be built again
  return config;
}

class RebuildTreeThreads : public ::testing::TestWithParam<SelectorKind> {};

TEST_P(RebuildTreeThreads, KeepsTheScoresOfAllClasses) {
  const Model model = train(TrainingFiles::shared().train(), config_with(GetParam())).model;
  Checkpoint run;
  run.model = model.data();
  run.state = make_train_state(run.model.tables, run.model.config);
  for (std::size_t table = 0; table < run.model.tables.size(); ++table) {
    const auto from = float_weights(model.data(), table);
    std::copy(from.begin(), from.end(), run.state.weights[table].data());
  }
  ThreadPool pool(2);
  rebuild_tree(run.model, run.state, run.best, pool);
  EXPECT_FALSE(run.model.tree == model.data().tree) << "the test would show nothing";
  run.model.weights = views_of(run.state.weights);
  const Model moved(std::make_shared<const ModelData>(run.model));
  PredictOptions all;
  all.top_k = 20;
  all.beam = 20;
  std::vector<std::vector<Prediction>> expected;
  Predictor(model, all)
      .predict(TrainingFiles::shared().test(), [&](std::size_t, std::span<const Prediction> best) {
        expected.emplace_back(best.begin(), best.end());
      });
  Predictor(moved, all)
      .predict(TrainingFiles::shared().test(),
               [&](std::size_t i, std::span<const Prediction> best) {
                 ASSERT_EQ(best.size(), expected[i].size());
                 for (std::size_t k = 0; k < best.size(); ++k) {
                   EXPECT_NEAR(best[k].score, expected[i][k].score, 1e-3) << i;
                 }
                 EXPECT_EQ(best.front().class_id, expected[i].front().class_id) << i;
               });
}

TEST_P(RebuildTreeThreads, BetweenEpochsStillLearnsAndKeepsTheBest) {
  TrainConfig config = config_with(GetParam());
  config.rebuild_tree = 1;
  const Dataset test = TrainingFiles::shared().test();
  const TrainResult result = train(TrainingFiles::shared().train(), config, nullptr, &test);
  EXPECT_GT(evaluate(result.model, test).accuracy, 0.85);
}

INSTANTIATE_TEST_SUITE_P(BeamAndTree, RebuildTreeThreads,
                         ::testing::Values(SelectorKind::kBeam, SelectorKind::kTree),
                         [](const auto& instance) { return name_of(instance.param); });

TEST(RebuildTree, ResumesToTheSameBits) {
  TrainConfig config = config_with(SelectorKind::kBeam);
  config.rebuild_tree = 2;
  const Model whole = train(TrainingFiles::shared().train(), config).model;
  config.checkpoint_path = TrainingFiles::shared().folder().path("rebuild.checkpoint");
  StopAfter stop(60);
  ASSERT_TRUE(train(TrainingFiles::shared().train(), config, &stop).interrupted);
  config.resume = true;
  const Model resumed = train(TrainingFiles::shared().train(), config).model;
  EXPECT_EQ(resumed.data().tree, whole.data().tree);
  const auto a = float_weights(whole.data(), 0);
  const auto b = float_weights(resumed.data(), 0);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(RebuildTree, IsRefusedWhereScoresCannotMove) {
  TrainConfig config = TrainingFiles::config();
  config.rebuild_tree = 1;
  for (const Method method : {Method::kHsm, Method::kSoftmax, Method::kNce}) {
    config.method = method;
    config.select = SelectorKind::kAuto;
    config.candidates = 0;
    EXPECT_THAT(error_text([&] { train(TrainingFiles::shared().train(), config); }),
                ::testing::HasSubstr("`rebuild_tree`"));
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "core/loop/epoch_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Ten steps an epoch; writes down what the loop asked for.
class RecordingEngine : public Engine {
 public:
  RecordingEngine(LoopState& state, std::vector<double> scores)
      : state_(state), scores_(std::move(scores)) {}

  std::uint64_t steps_per_epoch() const override { return 10; }
  std::uint64_t steps_done() const override { return steps_; }
  bool run_epoch(const std::function<bool()>& go_on) override {
    while (steps_ < steps_per_epoch()) {
      ++steps_;
      ++all_steps_;
      std::this_thread::sleep_for(pause);
      if (!go_on()) return false;
    }
    return true;
  }
  std::optional<double> validate() override {
    if (scores_.empty()) return std::nullopt;
    return scores_.at(state_.epoch - 1);
  }
  void keep_best() override { best_epochs.push_back(state_.epoch); }
  void finish_epoch(bool is_best) override {
    events.push_back(is_best ? "best" : "worse");
    steps_ = 0;
  }
  void save_checkpoint(bool goes_on) override {
    events.emplace_back(goes_on ? "save" : "save at the end");
  }
  double checkpoint_cost() const override { return cost; }
  void report_progress(const LoopProgress& now) override { progress.push_back(now); }
  bool stop_requested() override { return all_steps_ >= stop_after; }

  std::chrono::milliseconds pause{0};
  double cost = 0.0;
  std::uint64_t stop_after = 1000;
  std::vector<std::string> events;
  std::vector<std::uint32_t> best_epochs;
  std::vector<LoopProgress> progress;

 private:
  LoopState& state_;
  std::vector<double> scores_;
  std::uint64_t steps_ = 0;
  std::uint64_t all_steps_ = 0;
};

TEST(EpochLoop, RunsEveryEpochAndKeepsTheBest) {
  LoopState state;
  RecordingEngine engine(state, {0.2, 0.5, 0.5, 0.6});
  EXPECT_EQ(EpochLoop({.epochs = 4}, engine, state).run(), LoopEnd::kDone);
  EXPECT_THAT(engine.best_epochs, ElementsAre(1, 2, 4));
  EXPECT_THAT(engine.events, ElementsAre("best", "save", "best", "save", "worse", "save", "best",
                                         "save at the end"));
  EXPECT_EQ(state.best_score, 0.6);
}

TEST(EpochLoop, ASmallerScoreIsBetterWhereThatIsTheGoal) {
  LoopState state;
  RecordingEngine engine(state, {300.0, 250.0, 260.0});
  EpochLoop({.epochs = 3, .goal = Goal::kMinimize}, engine, state).run();
  EXPECT_EQ(state.best_epoch, 2U);
  EXPECT_EQ(state.best_score, 250.0);
}

TEST(EpochLoop, StopsWhenPatienceIsOver) {
  LoopState state;
  RecordingEngine engine(state, {0.5, 0.4, 0.3, 0.9});
  EXPECT_EQ(EpochLoop({.epochs = 4, .patience = 2}, engine, state).run(), LoopEnd::kStoppedEarly);
  EXPECT_EQ(state.epoch, 3U);
  EXPECT_EQ(engine.events.back(), "save at the end");
}

TEST(EpochLoop, PatienceThatEndsWithTheLastEpochIsNoEarlyStop) {
  LoopState state;
  RecordingEngine engine(state, {0.5, 0.4, 0.3});
  EXPECT_EQ(EpochLoop({.epochs = 3, .patience = 2}, engine, state).run(), LoopEnd::kDone);
}

TEST(EpochLoop, WithoutValidationEveryEpochIsTheBestSoFar) {
  LoopState state;
  RecordingEngine engine(state, {});
  EXPECT_EQ(EpochLoop({.epochs = 3, .patience = 1}, engine, state).run(), LoopEnd::kDone);
  EXPECT_THAT(engine.best_epochs, ElementsAre(1, 2, 3));
  EXPECT_EQ(state.best_score, std::nullopt);
}

TEST(EpochLoop, AnInterruptionSavesAndTheNextRunGoesOn) {
  LoopState state;
  RecordingEngine engine(state, {});
  engine.stop_after = 13;
  EXPECT_EQ(EpochLoop({.epochs = 3}, engine, state).run(), LoopEnd::kInterrupted);
  EXPECT_EQ(state.epoch, 1U);
  EXPECT_EQ(engine.steps_done(), 3U);
  EXPECT_THAT(engine.events, ElementsAre("best", "save", "save at the end"));
  engine.stop_after = 1000;
  EXPECT_EQ(EpochLoop({.epochs = 3}, engine, state).run(), LoopEnd::kDone);
  EXPECT_EQ(state.epoch, 3U);
}

TEST(EpochLoop, AStopRequestedAtTheEndOfTheLastEpochChangesNothing) {
  LoopState state;
  RecordingEngine engine(state, {});
  engine.stop_after = 20;
  // The last step was asked to stop, so the engine says that its epoch is unfinished.
  EXPECT_EQ(EpochLoop({.epochs = 2}, engine, state).run(), LoopEnd::kInterrupted);
  EXPECT_EQ(EpochLoop({.epochs = 1}, engine, state).run(), LoopEnd::kDone);
}

TEST(EpochLoop, ACheckpointWaitsForItsTimeExceptTheFirstAndTheLast) {
  LoopState state;
  RecordingEngine engine(state, {});
  const LoopOptions seldom = {.epochs = 3, .checkpoint_seconds = 1000.0};
  EpochLoop(seldom, engine, state).run();
  EXPECT_THAT(engine.events, ElementsAre("best", "save", "best", "best", "save at the end"));
}

TEST(EpochLoop, ACheckpointThatCostsTooMuchIsWrittenOnInterruptionOnly) {
  LoopState state;
  RecordingEngine engine(state, {});
  engine.cost = 1000.0;
  const LoopOptions often = {.epochs = 3, .checkpoint_seconds = 1e-9};
  EpochLoop(often, engine, state).run();
  EXPECT_THAT(engine.events, ElementsAre("best", "best", "best"));
  state = {};
  engine.events.clear();
  engine.stop_after = 35;
  EXPECT_EQ(EpochLoop(often, engine, state).run(), LoopEnd::kInterrupted);
  EXPECT_THAT(engine.events, ElementsAre("save at the end"));
}

TEST(EpochLoop, SecondsOfEarlierRunsCountButNotForTheSpeed) {
  LoopState state;
  state.epoch = 1;
  state.seconds = 1000.0;
  RecordingEngine engine(state, {});
  engine.pause = std::chrono::milliseconds(25);
  EpochLoop({.epochs = 3}, engine, state).run();
  EXPECT_GT(state.seconds, 1000.0);
  ASSERT_THAT(engine.progress, ::testing::Not(IsEmpty()));
  const LoopProgress& first = engine.progress.front();
  EXPECT_EQ(first.epoch, 2U);
  EXPECT_EQ(first.steps_total, 30U);
  EXPECT_GT(first.steps_done, 10U);
  EXPECT_LE(first.steps_per_second, 40.0);
  EXPECT_GE(first.steps_per_second, 1.0);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

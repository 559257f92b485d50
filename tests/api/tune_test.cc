// Labels: threads
#include "cane/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cane/names.h"
#include "support/error_text.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::TrainingFiles;

class TrialLog : public TuneObserver {
 public:
  explicit TrialLog(std::size_t stop_after = 1000) : stop_after_(stop_after) {}
  void on_begin(const Tunable& options) override { searched = options; }
  void on_message(const std::string& text) override { messages.push_back(text); }
  void on_trial(const Trial& trial) override { trials.push_back(trial); }
  bool stop_requested() override { return trials.size() >= stop_after_; }

  Tunable searched;
  std::vector<Trial> trials;
  std::vector<std::string> messages;

 private:
  std::size_t stop_after_;
};

TrainConfig small_config() {
  TrainConfig config;
  config.threads = 1;
  config.epochs = 3;
  config.start = StartKind::kZero;  // from the class means all trials would find nearly everything
  return config;
}

TuneOptions trials(std::uint32_t count) {
  TuneOptions options;
  options.trials = count;
  return options;
}

TEST(Tune, FindsOptionsAsGoodAsAnyItTried) {
  const TrainingFiles files;
  TrialLog log;
  const TuneResult result = tune(files.train(), small_config(), trials(12), &log);
  ASSERT_TRUE(result.best);
  EXPECT_FALSE(result.interrupted);
  EXPECT_LE(result.trials.size(), 12U);
  ASSERT_EQ(log.trials.size(), result.trials.size());
  const Trial& best = result.trials[*result.best];
  std::uint32_t top_rung = 0;
  for (const Trial& trial : result.trials) top_rung = std::max(top_rung, trial.rung);
  EXPECT_EQ(best.rung, top_rung);
  for (const Trial& trial : result.trials) {
    EXPECT_TRUE(trial.rung < top_rung || trial.accuracy <= best.accuracy);
  }
  for (const Trial& trial : result.trials) {
    const double right = 40.0 * trial.accuracy;
    EXPECT_NEAR(right, std::round(right), 1e-9) << "of 400 examples 40 are held out";
  }
  EXPECT_EQ(result.config.lr, best.config.lr);
  EXPECT_EQ(result.config.candidates, best.config.candidates);
  EXPECT_EQ(result.config.method, best.config.method);
  EXPECT_EQ(result.config.select, best.config.select);
  EXPECT_EQ(result.config.epochs, 3U);
  EXPECT_FALSE(result.config.deterministic);
  EXPECT_TRUE(best.config.deterministic) << "the budget is in trials";
  EXPECT_GT(evaluate(train(files.train(), result.config).model, files.test()).accuracy, 0.8);
}

TEST(TuneThreads, FindsTheSameWithTheSameSeedOnAnyNumberOfThreads) {
  const TrainingFiles files;
  TrainConfig config = small_config();
  const TuneResult one = tune(files.train(), config, trials(6));
  config.threads = 2;
  const TuneResult two = tune(files.train(), config, trials(6));
  ASSERT_EQ(one.trials.size(), two.trials.size());
  for (std::size_t i = 0; i < one.trials.size(); ++i) {
    EXPECT_EQ(one.trials[i].accuracy, two.trials[i].accuracy);
    EXPECT_EQ(one.trials[i].config.lr, two.trials[i].config.lr);
  }
  EXPECT_EQ(one.best, two.best);
}

TEST(Tune, LeavesFixedOptionsAlone) {
  const TrainingFiles files;
  TrainConfig config = small_config();
  config.method = Method::kCane;
  config.select = SelectorKind::kBeam;
  config.lr = 0.25F;
  config.arity = 4;
  TuneOptions options = trials(8);
  options.search.lr = false;
  options.search.arity = false;
  TrialLog log;
  const TuneResult result = tune(files.train(), config, options, &log);
  EXPECT_TRUE(log.searched.optimizer && log.searched.candidates);
  EXPECT_FALSE(log.searched.lr || log.searched.arity || log.searched.noise_power);
  for (const Trial& trial : result.trials) {
    EXPECT_EQ(trial.config.lr, 0.25F);
    EXPECT_EQ(trial.config.arity, 4U);
  }
  EXPECT_EQ(result.config.lr, 0.25F);
}

// Every method, and for cane every selector.
std::vector<TrainConfig> all_methods() {
  std::vector<TrainConfig> all(15, small_config());
  auto next = all.begin() + 1;
  for (const Method method : {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout,
                              Method::kOve, Method::kCss, Method::kHsm, Method::kCane}) {
    (next++)->method = method;
  }
  for (const SelectorKind select :
       {SelectorKind::kBeam, SelectorKind::kNarrow, SelectorKind::kTree, SelectorKind::kCentroid,
        SelectorKind::kExact, SelectorKind::kAll}) {
    next->method = Method::kCane;
    (next++)->select = select;
  }
  return all;
}

TEST(Tune, HasNoTrialOfAnyMethodThatIsImpossible) {
  const TrainingFiles files;
  for (const TrainConfig& config : all_methods()) {
    for (const Protocol protocol : {Protocol::kHalving, Protocol::kPaper}) {
      TuneOptions options = trials(4);
      options.protocol = protocol;
      const TuneResult result = tune(files.train(), config, options);
      const std::string name = std::string(name_of(config.method)) + " " + name_of(config.select);
      EXPECT_EQ(result.trials.size(), 4U) << name;
      for (const Trial& trial : result.trials) EXPECT_EQ(trial.error, "") << name;
      EXPECT_NO_THROW(train(files.train(), result.config)) << name;
    }
  }
}

TEST(Tune, FollowsThePaperOnItsGridOfRates) {
  const TrainingFiles files;
  TuneOptions options;
  options.protocol = Protocol::kPaper;
  TrialLog log;
  const TuneResult result = tune(files.train(), small_config(), options, &log);
  ASSERT_EQ(result.trials.size(), 7U);
  std::vector<float> rates;
  for (const Trial& trial : result.trials) {
    rates.push_back(trial.config.lr);
    EXPECT_EQ(trial.epochs, 0.5);
    EXPECT_EQ(trial.config.epochs, 1U);
    EXPECT_EQ(trial.config.optimizer, OptimizerKind::kSgd);
    EXPECT_LE(trial.accuracy, result.trials[*result.best].accuracy);
  }
  EXPECT_EQ(rates, (std::vector<float>{0.0001F, 0.001F, 0.01F, 0.05F, 0.1F, 0.5F, 1.0F}));
  EXPECT_EQ(result.config.optimizer, OptimizerKind::kSgd);
  EXPECT_EQ(result.config.lr, rates[*result.best]);
}

TEST(Tune, FollowsThePaperOnItsPowersForNce) {
  const TrainingFiles files;
  TrainConfig config = small_config();
  config.method = Method::kNce;
  TuneOptions options = trials(8);
  options.protocol = Protocol::kPaper;
  TrialLog log;
  const TuneResult result = tune(files.train(), config, options, &log);
  EXPECT_TRUE(log.searched.noise_power && !log.searched.candidates);
  ASSERT_EQ(result.trials.size(), 8U);
  EXPECT_EQ(result.trials.front().config.noise_power, 0.0F);
  EXPECT_EQ(result.trials.back().config.noise_power, 0.1F);
  EXPECT_EQ(result.trials.front().config.noise, NoiseKind::kUnigram);
  EXPECT_EQ(result.config.noise_power, result.trials[*result.best].config.noise_power);
}

TEST(Tune, SaysWhenThePaperGridIsCutOrItsEdgeIsBest) {
  const TrainingFiles files;
  TuneOptions options = trials(3);
  options.protocol = Protocol::kPaper;
  TrialLog log;
  const TuneResult result = tune(files.train(), small_config(), options, &log);
  EXPECT_EQ(result.trials.size(), 3U);
  EXPECT_TRUE(std::any_of(log.messages.begin(), log.messages.end(), [](const std::string& text) {
    return text.find("3 of the 7") != std::string::npos;
  }));
}

TEST(Tune, GoesOnAfterATrialThatExplodes) {
  const TrainingFiles files;
  TrainConfig config = small_config();
  config.l2 = 10.0F;  // refused for rates of 0.1 and above
  TuneOptions options;
  options.protocol = Protocol::kPaper;
  const TuneResult result = tune(files.train(), config, options);
  EXPECT_EQ(result.trials.size(), 7U);
  EXPECT_TRUE(result.trials.front().error.empty());
  EXPECT_FALSE(result.trials.back().error.empty());
  ASSERT_TRUE(result.best);
  EXPECT_TRUE(result.trials[*result.best].error.empty());
}

TEST(Tune, ThrowsWhenAllTrialsFail) {
  const TrainingFiles files;
  TrainConfig config = small_config();
  config.lr = 1e12F;
  TuneOptions options = trials(4);
  options.search = {false, true, false, false, false};
  EXPECT_THAT(error_text([&] { tune(files.train(), config, options); }),
              ::testing::HasSubstr("trials failed"));
}

TEST(Tune, ReturnsTheBestSoFarWhenStopped) {
  const TrainingFiles files;
  TrialLog log(3);
  const TuneResult result = tune(files.train(), small_config(), trials(12), &log);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.trials.size(), 3U);
  EXPECT_TRUE(result.best);
  TrialLog at_once(0);
  const TuneResult nothing = tune(files.train(), small_config(), trials(12), &at_once);
  EXPECT_TRUE(nothing.interrupted);
  EXPECT_FALSE(nothing.best);
}

TEST(Tune, RefusesImpossibleOptions) {
  const TrainingFiles files;
  TuneOptions options = trials(2);
  options.held_out = 1.5;
  EXPECT_THAT(error_text([&] { tune(files.train(), small_config(), options); }),
              ::testing::HasSubstr("`held_out`"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

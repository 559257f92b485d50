#include "tune/pilot_trial.h"

#include <gtest/gtest.h>

#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "methods/resolve.h"
#include "support/small_dataset.h"

namespace cane {
namespace CANE_THIS_FILE {

double accuracy_of(const Dataset& data, std::uint32_t noises, std::size_t left_out) {
  const auto [train, held_out] = split(data, 0.2, 1);
  TrainConfig config;
  config.method = Method::kNce;
  config.noises = noises;
  config.epochs = 2;
  const Replica replica = {train, held_out, left_out};
  PilotTrial trial;
  const auto classes = static_cast<std::uint32_t>(train.classes());
  trial.config = resolve(config, facts_of(train.data().view, classes)).config;
  ThreadPool pool(1);
  TrainObserver observer;
  EXPECT_TRUE(PilotRunner(pool, observer).run(replica, {&trial, 1}));
  EXPECT_EQ(trial.error, "");
  return trial.accuracy;
}

TEST(PilotRunner, GivesASamplerItsShareOfTheNoises) {
  const Dataset data = testing::small_dataset({.classes = 30, .examples = 1500});
  const double one_noise = accuracy_of(data, 1, 0);
  EXPECT_EQ(accuracy_of(data, 20, 19 * 30), one_noise) << "a twentieth of the classes";
  EXPECT_NE(accuracy_of(data, 20, 0), one_noise);
  EXPECT_EQ(accuracy_of(data, 20, 1000 * 30), one_noise) << "never none";
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

// Labels: threads
#include "tune/encoder_pilot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "methods/method_table.h"
#include "support/small_dataset.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr PilotLimits kAny = {.share = 10.0, .least_work = 0.0, .fewest_encoded_examples = 100};

TrainConfig open_options() {
  TrainConfig config;
  config.encoder = EncoderKind::kBag;
  config.dim = 8;
  config.epochs = 2;
  config.arity = 4;
  config.threads = 2;
  return config;
}

Dataset example_data(float noise) {
  return testing::small_dataset({.classes = 40, .examples = 1500, .noise = noise});
}

struct Notes : TrainObserver {
  void on_message(const std::string& text) override { lines.push_back(text); }
  bool stop_requested() override { return stop; }
  std::vector<std::string> lines;
  bool stop = false;
};

TEST(EncoderPilotThreads, PicksTheSameRateOnAnyNumberOfThreads) {
  const Dataset data = example_data(1.0F);
  TrainConfig config = open_options();
  Notes notes;
  config.threads = 1;
  const TrainConfig one = run_pilot(data, config, notes, kAny).config;
  EXPECT_EQ(notes.lines.back().find("pilot: picked learning rate "), 0U) << notes.lines.back();
  config.threads = 3;
  const TrainConfig three = run_pilot(data, config, notes, kAny).config;
  EXPECT_EQ(differing_fields(one, three), "");
  EXPECT_GT(one.lr, 0.0F);
  config.threads = 1;
  config.lr = one.lr;
  EXPECT_EQ(differing_fields(one, config), "") << "the rate is all that it picks";
}

TEST(EncoderPilot, TakesTheRateThatLearnsMost) {
  Notes notes;
  const TrainConfig picked = run_pilot(example_data(0.1F), open_options(), notes, kAny).config;
  // Few examples that are easily told apart: a small rate has learned nothing yet.
  EXPECT_GT(picked.lr, row_of(Method::kSoftmax).encoded_rate);
}

TEST(EncoderPilot, LeavesOptionsAloneWhereItHasNothingToMeasure) {
  const Dataset data = example_data(1.0F);
  TrainConfig config = open_options();
  Notes notes;
  EXPECT_EQ(differing_fields(run_pilot(data, config, notes).config, config), "") << "too short";
  config.lr = 0.3F;
  EXPECT_EQ(differing_fields(run_pilot(data, config, notes, kAny).config, config), "");
  config = open_options();
  config.pilot = PilotKind::kOff;
  EXPECT_EQ(differing_fields(run_pilot(data, config, notes, kAny).config, config), "");
  EXPECT_TRUE(notes.lines.empty());
  config = open_options();
  notes.stop = true;
  EXPECT_EQ(differing_fields(run_pilot(data, config, notes, kAny).config, config), "");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

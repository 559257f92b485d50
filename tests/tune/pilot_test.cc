// Labels: threads
#include "tune/pilot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "methods/config_facts.h"
#include "support/small_dataset.h"

namespace cane {
namespace CANE_THIS_FILE {

// So that the few examples of a test are enough.
constexpr PilotLimits kAny = {.share = 100.0, .least_work = 0.0, .fewest_examples = 0};

Dataset example_data() {
  return testing::small_dataset({.classes = 40, .examples = 1500, .noise = 1.0F});
}

TrainConfig open_options() {
  TrainConfig config;
  config.epochs = 3;
  config.arity = 4;
  config.threads = 2;
  return config;
}

struct Notes : TrainObserver {
  void on_message(const std::string& text) override { lines.push_back(text); }
  bool stop_requested() override { return ++asked > stop_after; }
  std::vector<std::string> lines;
  int asked = 0;
  int stop_after = 1 << 30;
};

TEST(PilotThreads, PicksTheSameOnAnyNumberOfThreads) {
  const Dataset data = example_data();
  TrainConfig config = open_options();
  Notes notes;
  config.threads = 1;
  const TrainConfig one = run_pilot(data, config, notes, kAny).config;
  config.threads = 3;
  const TrainConfig three = run_pilot(data, config, notes, kAny).config;
  EXPECT_EQ(differing_fields(one, three), "");
  EXPECT_GT(one.lr, 0.0F);
}

TEST(Pilot, SaysWhatItMeasured) {
  Notes notes;
  run_pilot(example_data(), open_options(), notes, kAny);
  ASSERT_GT(notes.lines.size(), 5U);
  EXPECT_EQ(notes.lines.back().find("pilot: picked "), 0U) << notes.lines.back();
}

TEST(Pilot, KeepsWhatIsGiven) {
  TrainConfig config = open_options();
  config.method = Method::kCane;
  config.select = SelectorKind::kTree;
  config.rank = 7;
  config.lr = 0.123F;
  config.start = StartKind::kZero;
  Notes notes;
  EXPECT_EQ(run_pilot(example_data(), config, notes, kAny).source, nullptr) << "nothing is open";
  config.start = StartKind::kAuto;
  const TrainConfig picked = run_pilot(example_data(), config, notes, kAny).config;
  EXPECT_EQ(picked.select, SelectorKind::kTree);
  EXPECT_EQ(picked.rank, 7U);
  EXPECT_EQ(picked.lr, 0.123F);
  EXPECT_NE(picked.start, StartKind::kAuto);
}

TEST(Pilot, DoesNotRunWhereItIsOffOrDoesNotPay) {
  TrainConfig config = open_options();
  Notes notes;
  EXPECT_EQ(run_pilot(example_data(), config, notes).source, nullptr) << "it is over in a moment";
  config.pilot = PilotKind::kOff;
  const PilotResult off = run_pilot(example_data(), config, notes, kAny);
  EXPECT_EQ(off.source, nullptr);
  EXPECT_EQ(differing_fields(off.config, config), "");
  config.pilot = PilotKind::kOn;
  config.encoder = EncoderKind::kBag;
  EXPECT_EQ(run_pilot(example_data(), config, notes, kAny).source, nullptr);
  config.encoder = EncoderKind::kIdentity;
  config.method = Method::kLomTree;
  EXPECT_EQ(run_pilot(example_data(), config, notes, kAny).source, nullptr);
  EXPECT_TRUE(notes.lines.empty());
}

TEST(Pilot, StopsWhenAsked) {
  for (const int stop_after : {0, 3, 20}) {
    Notes notes;
    notes.stop_after = stop_after;
    const TrainConfig config = open_options();
    EXPECT_EQ(differing_fields(run_pilot(example_data(), config, notes, kAny).config, config), "");
  }
}

TEST(Pilot, TakesMoreClassesForALargerShare) {
  const DataFacts facts = {.classes = 5000, .dimension = 100, .examples = 200'000, .density = 1.0};
  TrainConfig config;
  const std::size_t brief = pilot_classes(config, facts, {.share = 0.02});
  const std::size_t ample = pilot_classes(config, facts, {.share = 0.05});
  EXPECT_GT(brief, 0U);
  EXPECT_GT(ample, brief);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "cli/cane/paper/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/cane/paper/fingerprint.h"
#include "cli/cane/paper/plan_parts.h"
#include "support/temporary_folder.h"

namespace cane::cli::paper {
namespace {

using testing::TemporaryFolder;
// Within a test, Run is a function of GoogleTest.
using PlannedRun = Run;

FoundSet classification(const char* key) {
  FoundSet set;
  set.row = &set_row(key);
  set.train = "train.svm";
  set.test = "test.svm";
  set.examples = 100000;
  set.test_examples = 10000;
  set.classes = 1000;
  set.features = 128;
  set.density = 0.3;
  return set;
}

FoundSet text(const char* key) {
  FoundSet set;
  set.row = &set_row(key);
  set.train = "train.txt";
  set.test = "test.txt";
  set.valid = "valid.txt";
  return set;
}

std::vector<FoundSet> all_sets() {
  return {classification("clinc150"), classification("aloi"), text("ptb"), text("gutenberg")};
}

double seconds_of(const std::vector<PlannedRun>& plan) {
  double seconds = 0.0;
  for (const PlannedRun& run : plan) seconds += run.seconds;
  return seconds;
}

TEST(PaperPlan, HasEveryIdOnceAndTuningBeforeWhatWaitsForIt) {
  std::set<std::string> seen;
  for (const PlannedRun& run : make_plan(all_sets(), {}, {})) {
    EXPECT_TRUE(seen.insert(run.id).second) << run.id;
    EXPECT_TRUE(run.after.empty() || seen.contains(run.after)) << run.id;
    EXPECT_EQ(run.commands.empty(), run.tool == Tool::kTheory) << run.id;
    EXPECT_GT(run.seconds, 0.0) << run.id;
    EXPECT_GT(run.bytes, 0U) << run.id;
  }
}

TEST(PaperPlan, HasTheSettingsOfThePaper) {
  EXPECT_EQ(figure_2_series(set_row("aloi"))[5].label, "CANE-9v1");
  EXPECT_EQ(figure_2_series(set_row("hangul"))[5].label, "CANE-15v5");
  EXPECT_EQ(figure_2_series(set_row("aloi"))[5].spec, "cane:beam:9+1:arity=10:noise=uniform");
  EXPECT_EQ(epochs_of(set_row("aloi"), {}), 50U);
  EXPECT_EQ(epochs_of(set_row("imagenet-10k"), {}), 20U);
  EXPECT_EQ(language_heads().size(), 11U);
  EXPECT_THAT(options_of_spec("nce:10"),
              ::testing::ElementsAre("--method", "nce", "--noises", "10"));
}

TEST(PaperPlan, KeepsTheChosenPartsAndTheirTunings) {
  PlanOptions options;
  options.only = {"table3/aloi", "figure3/ptb"};
  const std::vector<PlannedRun> plan = make_plan(all_sets(), {}, options);
  const auto has = [&](const std::string& id) {
    return std::ranges::find(plan, id, &PlannedRun::id) != plan.end();
  };
  EXPECT_TRUE(has("aloi/tune/CANE-9v1/1"));
  EXPECT_TRUE(has("aloi/paper/CANE-9v1/1"));
  EXPECT_TRUE(has("language/lm-tune/NCE/1"));
  EXPECT_TRUE(has("ptb/lm/NCE-40/1"));
  EXPECT_FALSE(has("aloi/paper/Softmax/1"));
  EXPECT_FALSE(has("clinc150/paper/CANE-9v1/1"));
  EXPECT_FALSE(has("gutenberg/lm/NCE-40/1"));
  EXPECT_TRUE(is_chosen({"figure2"}, "figure2/aloi"));
  EXPECT_FALSE(is_chosen({"figure2/aloi"}, "figure2"));
}

TEST(PaperPlan, ShrinksUntilItFitsTheBudget) {
  const std::vector<FoundSet> sets = all_sets();
  const double whole = seconds_of(make_plan(sets, {}, {}));
  for (const double part : {0.5, 0.1}) {
    const Effort effort = effort_for(part * whole, sets, {});
    EXPECT_EQ(effort.seeds, 1U);
    EXPECT_LE(seconds_of(make_plan(sets, effort, {})), part * whole);
  }
  EXPECT_EQ(effort_for(2.0 * whole, sets, {}).share, 1.0);
  EXPECT_GE(epochs_of(set_row("aloi"), effort_for(1.0, sets, {})), 1U);
}

TEST(PaperPlan, GivesRunsOfTheSameDataTheSameFingerprintWhereverItLies) {
  const TemporaryFolder folder;
  PlannedRun run;
  run.commands = {{"compare", "", "--seed", "1", "--limit", "5m"}};
  const auto fingerprint_of = [&](const std::string& name, const std::string& content,
                                  const char* seed) {
    run.files = {folder.write(name, content)};
    run.commands[0][1] = run.files[0];
    run.commands[0][3] = seed;
    return Fingerprints().of(run);
  };
  const std::string one = fingerprint_of("a.svm", "1 2:3\n", "1");
  EXPECT_EQ(one.size(), 16U);
  EXPECT_EQ(fingerprint_of("b.svm", "1 2:3\n", "1"), one);
  EXPECT_NE(fingerprint_of("b.svm", "1 2:4\n", "1"), one);
  run.commands[0][5] = "1h";
  EXPECT_EQ(fingerprint_of("b.svm", "1 2:3\n", "1"), one);
  EXPECT_NE(fingerprint_of("b.svm", "1 2:3\n", "2"), one);
}

}  // namespace
}  // namespace cane::cli::paper

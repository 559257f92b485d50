// What is computed from outcomes by every way to evaluate. Every expected figure is computed by
// hand.
#include "cane/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "predict/evaluate.h"

namespace cane {
namespace CANE_THIS_FILE {

// Right, second, found by the wide search only, and a label that training never saw.
const std::vector<Outcome> kOutcomes = {
    {.label = 0,
     .place = 0,
     .probability = 0.5F,
     .answer = 0,
     .wide_place = 0,
     .log_probability = -1.0F,
     .is_covered = true},
    {.label = 1,
     .place = 1,
     .probability = 0.5F,
     .answer = 0,
     .wide_place = 2,
     .log_probability = -2.0F,
     .is_covered = true},
    {.label = 2, .probability = 0.9F, .answer = 1, .wide_place = 2, .log_probability = -3.0F},
    {.label = kUnknownClass, .probability = 0.1F, .answer = 1}};
const std::vector<std::uint64_t> kCounts = {200, 50, 5};

TEST(Evaluation, FollowsFromTheOutcomes) {
  EvaluateOptions options;
  options.top_k = {1, 2, 3};
  options.reject = 0.5F;
  const Evaluation found = measure(kOutcomes, kCounts, 2, options);
  EXPECT_EQ(found.examples, 4U);
  EXPECT_EQ(found.unseen_labels, 1U);
  EXPECT_DOUBLE_EQ(found.accuracy, 0.25);
  EXPECT_DOUBLE_EQ(found.coverage, 0.5);
  EXPECT_EQ(found.top, (std::map<std::uint32_t, double>{{1, 0.25}, {2, 0.5}, {3, 0.75}}));
  EXPECT_DOUBLE_EQ(found.log_loss.value(), 2.0);
  EXPECT_EQ(found.probability, Probability::kExact);
  EXPECT_DOUBLE_EQ(found.macro_accuracy, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(found.head.accuracy.value(), 1.0);
  EXPECT_EQ(found.tail.examples, 1U);
  EXPECT_DOUBLE_EQ(found.rejected.value().coverage, 0.75);
  EXPECT_FALSE(found.details);
}

TEST(Evaluation, HasNoMeasuresOfProbabilitiesWithoutThem) {
  EvaluateOptions options;
  options.probability = Probability::kNone;
  options.reject = 0.5F;
  options.details = true;
  const Evaluation found = measure(kOutcomes, kCounts, 2, options);
  EXPECT_FALSE(found.log_loss || found.calibration_error || found.rejected);
  EXPECT_TRUE(found.details.value().reliability.empty());
  EXPECT_EQ(found.details.value().classes.size(), 3U);
}

TEST(Evaluation, IsAllZeroWithoutExamples) {
  const Evaluation found = measure({}, kCounts, 2, EvaluateOptions());
  EXPECT_DOUBLE_EQ(found.accuracy, 0.0);
  EXPECT_FALSE(found.log_loss);
  EXPECT_EQ(found.probability, Probability::kNone);
}

TEST(Evaluation, ListsEachMeasureOnce) {
  std::set<std::string> names;
  visit_fields(Evaluation(), [&](const Measure& measure, const auto&) {
    EXPECT_TRUE(names.insert(measure.name).second) << measure.name;
    EXPECT_STRNE(measure.title, "") << measure.name;
    EXPECT_STRNE(measure.help, "") << measure.name;
  });
  EXPECT_TRUE(names.contains("accuracy"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

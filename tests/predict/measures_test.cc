// Every expected figure is computed by hand in the test.
#include "predict/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

using Outcomes = std::vector<Outcome>;

void add(Outcomes& outcomes, int count, bool correct, float probability, ClassId label = 0) {
  for (int i = 0; i < count; ++i)
    outcomes.push_back({label, correct ? 0U : kNotFound, probability});
}

TEST(CalibrationError, IsZeroWhenProbabilitiesAreTheSharesOfRightAnswers) {
  Outcomes outcomes;
  add(outcomes, 3, true, 0.75F);
  add(outcomes, 1, false, 0.75F);
  add(outcomes, 1, true, 0.25F);
  add(outcomes, 3, false, 0.25F);
  add(outcomes, 5, true, 1.0F);
  EXPECT_DOUBLE_EQ(calibration_error(outcomes), 0.0);
}

TEST(CalibrationError, IsTheExcessOfConfidenceOverAccuracy) {
  Outcomes outcomes;
  add(outcomes, 1, true, 0.875F);
  add(outcomes, 1, false, 0.875F);
  EXPECT_DOUBLE_EQ(calibration_error(outcomes), 0.875 - 0.5);
}

TEST(CalibrationError, CountsTooLittleConfidenceAsMuchAsTooMuch) {
  Outcomes outcomes;
  add(outcomes, 4, true, 0.75F);
  EXPECT_DOUBLE_EQ(calibration_error(outcomes), 0.25);
}

TEST(CalibrationError, WeightsBinsByTheirExamplesAndSkipsEmptyOnes) {
  Outcomes outcomes;
  add(outcomes, 6, true, 0.75F);   // |1 - 0.75| x 6 = 1.5
  add(outcomes, 2, false, 0.25F);  // |0 - 0.25| x 2 = 0.5
  EXPECT_DOUBLE_EQ(calibration_error(outcomes), (1.5 + 0.5) / 8.0);
}

TEST(CalibrationError, LetsErrorsCancelWithinABinOnly) {
  // Both between 6/15 = 0.4 and 7/15 = 0.466...
  Outcomes together;
  add(together, 1, true, 0.41F);
  add(together, 1, false, 0.46F);
  EXPECT_NEAR(calibration_error(together), (1.0 - 0.87) / 2.0, 1e-7);
  // On either side of 7/15.
  Outcomes apart;
  add(apart, 1, true, 0.46F);
  add(apart, 1, false, 0.48F);
  EXPECT_NEAR(calibration_error(apart), (0.54 + 0.48) / 2.0, 1e-7);
}

TEST(CalibrationError, TakesUnknownLabelsForErrors) {
  Outcomes outcomes;
  add(outcomes, 1, true, 0.5F);
  add(outcomes, 1, false, 0.5F, kUnknownClass);
  EXPECT_DOUBLE_EQ(calibration_error(outcomes), 0.0);
  add(outcomes, 2, false, 0.5F, kUnknownClass);
  EXPECT_DOUBLE_EQ(calibration_error(outcomes), 0.25);
}

TEST(CalibrationError, KeepsProbabilitiesWithinTheirBounds) {
  Outcomes outcomes;
  add(outcomes, 1, true, 1.0000002F);
  EXPECT_EQ(calibration_error(outcomes), 0.0);
  outcomes.clear();
  add(outcomes, 1, false, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(calibration_error(outcomes), 0.0);
  outcomes.clear();
  add(outcomes, 1, true, std::numeric_limits<float>::infinity());
  EXPECT_EQ(calibration_error(outcomes), 0.0);
  EXPECT_EQ(calibration_error({}), 0.0);
}

TEST(MacroAccuracy, GivesEveryClassTheSameWeight) {
  Outcomes outcomes;
  add(outcomes, 9, true, 0.0F, 0);
  add(outcomes, 1, false, 0.0F, 0);
  add(outcomes, 1, true, 0.0F, 2);
  add(outcomes, 3, false, 0.0F, 2);
  EXPECT_DOUBLE_EQ(macro_accuracy(outcomes, 3), (0.9 + 0.25) / 2.0);
}

TEST(MacroAccuracy, IsTheAccuracyOfTheOnlyClassThereIs) {
  Outcomes outcomes;
  add(outcomes, 3, true, 0.0F);
  add(outcomes, 1, false, 0.0F);
  EXPECT_DOUBLE_EQ(macro_accuracy(outcomes, 1), 0.75);
  EXPECT_DOUBLE_EQ(macro_accuracy(outcomes, 1000), 0.75);
}

TEST(MacroAccuracy, LeavesUnknownLabelsOut) {
  Outcomes outcomes;
  add(outcomes, 5, false, 0.0F, kUnknownClass);
  EXPECT_EQ(macro_accuracy(outcomes, 2), 0.0);
  add(outcomes, 1, true, 0.0F, 1);
  EXPECT_EQ(macro_accuracy(outcomes, 2), 1.0);
}

TEST(FrequencyGroups, CutAboveAHundredAndBelowTwentyTrainingExamples) {
  const std::vector<std::uint64_t> counts = {101, 100, 20, 19, 0, 5000};
  Outcomes outcomes;
  for (ClassId label = 0; label < counts.size(); ++label) {
    add(outcomes, static_cast<int>(label) + 1, label % 2 == 0, 0.0F, label);
  }
  const FrequencyGroups groups = frequency_groups(outcomes, counts);
  EXPECT_EQ(groups.head.classes, 2U);
  EXPECT_EQ(groups.head.examples, 1U + 6U);
  EXPECT_DOUBLE_EQ(groups.head.accuracy.value(), 1.0 / 7.0);
  EXPECT_EQ(groups.middle.classes, 2U);
  EXPECT_EQ(groups.middle.examples, 2U + 3U);
  EXPECT_DOUBLE_EQ(groups.middle.accuracy.value(), 3.0 / 5.0);
  EXPECT_EQ(groups.tail.classes, 2U);
  EXPECT_EQ(groups.tail.examples, 4U + 5U);
  EXPECT_DOUBLE_EQ(groups.tail.accuracy.value(), 5.0 / 9.0);
}

TEST(FrequencyGroups, PutEquallyFrequentClassesInTheSameGroup) {
  const std::vector<std::uint64_t> counts(30, 50);
  const FrequencyGroups groups = frequency_groups({}, counts);
  EXPECT_EQ(groups.head.classes, 0U);
  EXPECT_EQ(groups.middle.classes, 30U);
  EXPECT_EQ(groups.tail.classes, 0U);
}

TEST(FrequencyGroups, HaveNoAccuracyWithoutExamples) {
  const std::vector<std::uint64_t> counts = {500, 50};
  Outcomes outcomes;
  add(outcomes, 2, false, 0.0F, 1);
  add(outcomes, 3, false, 0.0F, kUnknownClass);
  const FrequencyGroups groups = frequency_groups(outcomes, counts);
  EXPECT_EQ(groups.head.classes, 1U);
  EXPECT_FALSE(groups.head.accuracy.has_value());
  EXPECT_EQ(groups.middle.examples, 2U);
  EXPECT_EQ(groups.middle.accuracy, 0.0);
  EXPECT_FALSE(groups.tail.accuracy.has_value());
}

TEST(ReliabilityBins, HoldWhatTheCalibrationErrorIsTheSumOf) {
  Outcomes outcomes;
  add(outcomes, 6, true, 0.75F);
  add(outcomes, 2, false, 0.75F);
  add(outcomes, 3, false, 0.05F);
  const std::vector<ReliabilityBin> bins = reliability_bins(outcomes);
  ASSERT_EQ(bins.size(), kCalibrationBins);
  EXPECT_EQ(bins[11].examples, 8U);
  EXPECT_DOUBLE_EQ(bins[11].probability, 0.75);
  EXPECT_DOUBLE_EQ(bins[11].accuracy, 0.75);
  EXPECT_EQ(bins[0].examples, 3U);
  double sum = 0.0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.examples) * std::abs(bin.probability - bin.accuracy);
  }
  EXPECT_NEAR(sum / 11.0, calibration_error(outcomes), 1e-12);
}

TEST(FrequencyBins, EndBeforeThePowersOfTwo) {
  const std::vector<std::uint64_t> counts = {0, 1, 3, 2, 8};
  Outcomes outcomes;
  add(outcomes, 2, true, 0.5F, 2);
  add(outcomes, 2, false, 0.5F, 3);
  add(outcomes, 1, true, 0.5F, 4);
  add(outcomes, 1, false, 0.5F, kUnknownClass);
  const std::vector<FrequencyBin> bins = frequency_bins(outcomes, counts);
  ASSERT_EQ(bins.size(), 4U);
  EXPECT_EQ(bins[0].most, 0U);
  EXPECT_EQ(bins[2].least, 2U);
  EXPECT_EQ(bins[2].most, 3U);
  EXPECT_EQ(bins[2].classes, 2U);
  EXPECT_EQ(bins[2].examples, 4U);
  EXPECT_DOUBLE_EQ(bins[2].accuracy, 0.5);
  EXPECT_EQ(bins[3].least, 8U);
  EXPECT_EQ(bins[3].most, 15U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

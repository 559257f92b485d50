// Every expected figure is computed by hand in the test.
#include "predict/measures.h"

#include <gtest/gtest.h>

#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

Outcome outcome(ClassId label, ClassId answer) {
  return {.label = label,
          .place = label == answer ? 0U : kNotFound,
          .probability = 0.5F,
          .answer = answer};
}

// Three examples of class 0 (two right, one taken for 1), two of class 1 (one right, one taken for
// 2), one of a label that training never saw (taken for 0); class 3 does not occur.
const std::vector<Outcome> kOutcomes = {outcome(0, 0), outcome(0, 0), outcome(0, 1),
                                        outcome(1, 1), outcome(1, 2), outcome(kUnknownClass, 0)};

TEST(ClassMeasures, CountLabelsAnswersAndWhatIsBoth) {
  const std::vector<ClassMeasures> classes = class_measures(kOutcomes, 4);
  EXPECT_EQ(classes[0].support, 3U);
  EXPECT_EQ(classes[0].predicted, 3U);
  EXPECT_EQ(classes[0].correct, 2U);
  EXPECT_DOUBLE_EQ(classes[1].precision(), 0.5);
  EXPECT_DOUBLE_EQ(classes[1].recall(), 0.5);
  EXPECT_DOUBLE_EQ(classes[0].f1(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(classes[2].f1(), 0.0);
  EXPECT_DOUBLE_EQ(classes[3].precision(), 0.0);
}

TEST(ClassMeasures, AverageF1OverTheClassesThatOccur) {
  const std::vector<ClassMeasures> classes = class_measures(kOutcomes, 4);
  EXPECT_DOUBLE_EQ(macro_f1(classes), (2.0 / 3.0 + 0.5 + 0.0) / 3.0);
  EXPECT_DOUBLE_EQ(weighted_f1(classes), (3.0 * 2.0 / 3.0 + 2.0 * 0.5) / 5.0);
  EXPECT_DOUBLE_EQ(macro_f1(class_measures({}, 4)), 0.0);
  EXPECT_DOUBLE_EQ(weighted_f1(class_measures({}, 4)), 0.0);
}

TEST(ConfusedPairs, AreSortedByHowOftenTheyOccur) {
  std::vector<Outcome> outcomes = kOutcomes;
  outcomes.push_back(outcome(1, 2));
  outcomes.push_back(outcome(0, 3));
  const std::vector<ConfusedPair> pairs = confused_pairs(outcomes);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].label, 1U);
  EXPECT_EQ(pairs[0].answer, 2U);
  EXPECT_EQ(pairs[0].times, 2U);
  // As often as one another: the lower label and answer first.
  EXPECT_EQ(pairs[1].answer, 1U);
  EXPECT_EQ(pairs[2].answer, 3U);

  std::vector<ClassMeasures> classes = class_measures(outcomes, 4);
  add_most_confused(pairs, classes);
  EXPECT_EQ(classes[0].confused_with, 1U);
  EXPECT_EQ(classes[0].confused, 1U);
  EXPECT_EQ(classes[1].confused_with, 2U);
  EXPECT_EQ(classes[1].confused, 2U);
  EXPECT_EQ(classes[2].confused, 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

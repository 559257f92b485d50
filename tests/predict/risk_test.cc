#include "predict/measures.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

Outcome outcome(float probability, bool correct) {
  return {.label = 0, .place = correct ? 0U : kNotFound, .probability = probability};
}

TEST(Risk, IsTheShareOfErrorsAmongWhatIsAnswered) {
  const std::vector<Outcome> outcomes = {outcome(0.9F, true), outcome(0.8F, false),
                                         outcome(0.8F, true), outcome(0.3F, false)};
  const RiskPoint at = risk_at(outcomes, 0.8F);
  EXPECT_DOUBLE_EQ(at.coverage, 0.75);
  EXPECT_DOUBLE_EQ(at.risk, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(risk_at(outcomes, 0.95F).coverage, 0.0);
  EXPECT_DOUBLE_EQ(risk_at(outcomes, 0.95F).risk, 0.0);
}

TEST(Risk, HasACurveThatAgreesWithEveryThreshold) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 1000; ++i) {
    outcomes.push_back(outcome(static_cast<float>(i % 250) / 250.0F, i % 7 != 0));
  }
  outcomes.push_back(outcome(std::numeric_limits<float>::quiet_NaN(), false));
  const std::vector<RiskPoint> curve = risk_curve(outcomes);
  ASSERT_FALSE(curve.empty());
  EXPECT_LE(curve.size(), kRiskPoints);
  EXPECT_GT(curve.size(), kRiskPoints / 2);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(curve[i].coverage, curve[i - 1].coverage);
      EXPECT_LT(curve[i].least_probability, curve[i - 1].least_probability);
    }
    if (i + 1 == curve.size()) break;  // the last point has what is no number, too
    const RiskPoint at = risk_at(outcomes, static_cast<float>(curve[i].least_probability));
    EXPECT_DOUBLE_EQ(curve[i].coverage, at.coverage);
    EXPECT_DOUBLE_EQ(curve[i].risk, at.risk);
  }
  EXPECT_DOUBLE_EQ(curve.back().coverage, 1.0);
  EXPECT_TRUE(risk_curve({}).empty());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

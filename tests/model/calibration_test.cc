#include "model/calibration.h"

#include <gtest/gtest.h>

#include <limits>

namespace cane {
namespace CANE_THIS_FILE {

Calibration sample() {
  return {.temperatures = {2.0F, 1.0F, 0.5F},
          .probabilities = {0.25F, 0.5F, 0.75F},
          .shares = {0.125F, 0.5F, 0.625F}};
}

TEST(CalibrationShares, AreLinearBetweenThePoints) {
  const Calibration calibration = sample();
  EXPECT_DOUBLE_EQ(calibration.share_of(0.0), 0.0);
  EXPECT_DOUBLE_EQ(calibration.share_of(0.125), 0.0625);
  EXPECT_DOUBLE_EQ(calibration.share_of(0.25), 0.125);
  EXPECT_DOUBLE_EQ(calibration.share_of(0.375), 0.3125);
  EXPECT_DOUBLE_EQ(calibration.share_of(0.75), 0.625);
  EXPECT_DOUBLE_EQ(calibration.share_of(1.0), 0.625);
}

TEST(CalibrationShares, NeverFall) {
  const Calibration calibration = sample();
  double before = 0.0;
  for (int i = 0; i <= 1000; ++i) {
    const double share = calibration.share_of(i / 1000.0);
    EXPECT_GE(share, before);
    before = share;
  }
}

TEST(CalibrationFile, IsCheckedForWhatCannotBe) {
  EXPECT_EQ(validation_error(sample()), nullptr);
  EXPECT_EQ(validation_error(Calibration()), nullptr);
  const auto is_refused = [](const auto& change) {
    Calibration calibration = sample();
    change(calibration);
    return validation_error(calibration) != nullptr;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(is_refused([](Calibration& c) { c.temperatures.pop_back(); }));
  EXPECT_TRUE(is_refused([](Calibration& c) { c.temperatures[1] = 0.0F; }));
  EXPECT_TRUE(is_refused([&](Calibration& c) { c.temperatures[1] = nan; }));
  EXPECT_TRUE(is_refused([](Calibration& c) { c.shares.pop_back(); }));
  EXPECT_TRUE(is_refused([](Calibration& c) { c.shares[0] = 0.6F; }));
  EXPECT_TRUE(is_refused([](Calibration& c) { c.shares[2] = 1.0F; }));
  EXPECT_TRUE(is_refused([&](Calibration& c) { c.shares[1] = nan; }));
  EXPECT_TRUE(is_refused([](Calibration& c) { c.probabilities[1] = 0.25F; }));
  EXPECT_TRUE(is_refused([](Calibration& c) { c.probabilities[2] = 1.5F; }));
  EXPECT_TRUE(is_refused([](Calibration& c) {
    c.probabilities.clear();
    c.shares.clear();
  }));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "app/report/axis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

std::string ticks_of(const Axis& axis) {
  return fmt::format("{:g}", fmt::join(axis.ticks, " "));
}

TEST(Axis, PutsTicksAtRoundNumbers) {
  EXPECT_EQ(ticks_of(linear_axis(37.2, 94.1, 8, 0.0, true)), "30 40 50 60 70 80 90 100");
  EXPECT_EQ(ticks_of(linear_axis(90.6, 94.3, 8, 0.0, true)),
            "90.5 91 91.5 92 92.5 93 93.5 94 94.5");
  EXPECT_EQ(ticks_of(linear_axis(0.0, 0.073, 8, 0.0, false)),
            "0 0.01 0.02 0.03 0.04 0.05 0.06 0.07");
  EXPECT_EQ(ticks_of(linear_axis(0.0, 1234.0, 8, 0.0, false)), "0 200 400 600 800 1000 1200");
}

TEST(Axis, KeepsStepsWholeWhereTheyMustBe) {
  EXPECT_EQ(ticks_of(linear_axis(1.0, 3.0, 8, 1.0, false)), "1 2 3");
  EXPECT_EQ(ticks_of(linear_axis(0.0, 1.0, 8, 1.0, false)), "0 1");
  EXPECT_EQ(ticks_of(linear_axis(1.0, 50.0, 8, 1.0, false)), "10 20 30 40 50");
}

TEST(Axis, WidensToTicksOnlyIfAsked) {
  const Axis round = linear_axis(37.2, 94.1, 8, 0.0, true);
  EXPECT_DOUBLE_EQ(round.low, 30.0);
  EXPECT_DOUBLE_EQ(round.high, 100.0);
  const Axis exact = linear_axis(37.2, 94.1, 8, 0.0, false);
  EXPECT_DOUBLE_EQ(exact.place(37.2), 0.0);
  EXPECT_DOUBLE_EQ(exact.place(94.1), 1.0);
  EXPECT_EQ(ticks_of(exact), "40 50 60 70 80 90");
}

TEST(Axis, IsNeverEmpty) {
  const Axis axis = linear_axis(100.0, 100.0, 8, 0.0, true);
  EXPECT_LT(axis.low, axis.high);
  EXPECT_FALSE(axis.ticks.empty());
}

TEST(Axis, PlacesEqualRatiosAtEqualDistancesOnALogarithmicScale) {
  const Axis axis = logarithmic_axis(0.1, 10.0);
  EXPECT_EQ(ticks_of(axis), "0.1 0.2 0.5 1 2 5 10");
  EXPECT_NEAR(axis.place(1.0), 0.5, 1e-12);
  EXPECT_NEAR(axis.place(0.1), 0.0, 1e-12);
  EXPECT_NEAR(axis.place(10.0), 1.0, 1e-12);
  EXPECT_EQ(ticks_of(logarithmic_axis(0.02, 3000.0)), "0.1 1 10 100 1000");
  EXPECT_EQ(ticks_of(logarithmic_axis(105.0, 410.0)), "120 150 200 250 300 400");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

#include "cli/cane/train_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kGiga = 1ULL << 30;

TEST(CostWarnings, TellOfTimeAndMemoryFarFromWhatWasExpected) {
  EXPECT_THAT(cost_warnings(100.0, 190.0, kGiga, 2 * kGiga), IsEmpty());
  EXPECT_THAT(cost_warnings(100.0, 250.0, kGiga, 4 * kGiga),
              ElementsAre(HasSubstr("its start predicted"),
                          HasSubstr("4.0 GiB of memory, where --dry-run estimates 1.0 GiB")));
  // Short trainings, small programs and trainings without an estimate.
  EXPECT_THAT(cost_warnings(1.0, 9.0, kGiga / 100, kGiga / 10), IsEmpty());
  EXPECT_THAT(cost_warnings(0.0, 1000.0, 0, kGiga), IsEmpty());
}

TEST(CostWatch, PromisesNothingBeforeItHasSeenEnough) {
  CostWatch watch;
  watch.look({.seconds_left = 100.0});
  EXPECT_EQ(watch.predicted(), 0.0);
  EXPECT_GT(peak_memory(), 1U << 20);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

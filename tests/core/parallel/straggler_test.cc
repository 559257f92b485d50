#include "core/parallel/straggler.h"

#include <gtest/gtest.h>

#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

TEST(Straggler, IsTheRankThatWasWaitedForLongest) {
  const std::vector<double> waited = {0.0, 3.0, 30.0, 2.0};
  const auto found = find_straggler(waited, 100.0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->seconds, 30.0);
}

TEST(Straggler, IsEmptyInARunThatHardlyWaited) {
  EXPECT_FALSE(find_straggler(std::vector<double>{0.0, 3.0}, 100.0));
  EXPECT_FALSE(find_straggler(std::vector<double>{0.0, 0.5}, 0.6));
  EXPECT_FALSE(find_straggler({}, 1.0));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "app/report/svg.h"

#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

TEST(Legend, LeavesEntriesThatFitWhereTheyAre) {
  const std::vector<double> wanted = {10.0, 40.0, 90.0};
  EXPECT_EQ(spread(wanted, 20.0, 0.0, 100.0), wanted);
}

TEST(Legend, SpreadsEntriesInOrderAndWithinTheRange) {
  const std::vector<double> heights = spread({95.0, 96.0, 97.0, 97.0}, 20.0, 0.0, 100.0);
  EXPECT_EQ(heights, (std::vector<double>{40.0, 60.0, 80.0, 100.0}));
  EXPECT_EQ(spread({-5.0, 0.0, 50.0}, 20.0, 0.0, 100.0), (std::vector<double>{0.0, 20.0, 50.0}));
}

TEST(Legend, CutsLongNamesBetweenCharacters) {
  EXPECT_EQ(fitted("softmax", 10.0, 100.0), "softmax");
  const std::string cut =
      fitted("cane:tree=büüüüüüüüüüüüme", 10.0, text_width("cane:tree=bü…", 10.0));
  EXPECT_EQ(cut, "cane:tree=bü…");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

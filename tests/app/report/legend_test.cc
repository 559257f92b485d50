#include "app/report/svg.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Legend, LabelsAnEndOnlyWhereNothingIsCovered) {
  const std::vector<Spot> alone = {{0.0, 50.0}, {100.0, 50.0}};
  const std::vector<double> widths = {40.0, 40.0};
  // Nothing beside it; another line that runs on through the label; one that ends at the edge.
  EXPECT_TRUE(fitting_labels({alone}, {40.0}, 200.0)[0]);
  EXPECT_FALSE(fitting_labels({alone, {{0.0, 80.0}, {190.0, 20.0}}}, widths, 200.0)[0]);
  EXPECT_FALSE(fitting_labels({alone}, {40.0}, 150.0)[0]);
  // Of two labels in one place the first is drawn.
  const std::vector<bool> both =
      fitting_labels({alone, {{0.0, 60.0}, {100.0, 62.0}}}, widths, 200.0);
  EXPECT_EQ(std::count(both.begin(), both.end(), true), 1);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

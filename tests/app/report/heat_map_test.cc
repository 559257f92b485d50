#include "app/report/heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HeatMap, WritesCountsAndNamesAndLeavesZerosOut) {
  const HeatMap map = {.title = "who is who",
                       .row_label = "label",
                       .column_label = "answer",
                       .names = {"a<b", "cat"},
                       .counts = {{7, 3}, {0, 12}},
                       .row_totals = {10, 12}};
  const std::string svg = as_svg(map, "m");
  EXPECT_THAT(svg, HasSubstr(">7<"));
  EXPECT_THAT(svg, HasSubstr(">12<"));
  EXPECT_THAT(svg, Not(HasSubstr(">0<")));
  EXPECT_THAT(svg, HasSubstr("a&lt;b: 3 of 10 examples are taken for cat"));
  EXPECT_THAT(svg, Not(HasSubstr("a<b")));
  // All of a row is as dark as it gets; nothing is white.
  EXPECT_THAT(svg, HasSubstr("fill-opacity='0.750'"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity='0.000'"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

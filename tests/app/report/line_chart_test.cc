#include "app/report/line_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

LineChart chart_to(double last) {
  LineChart chart;
  chart.title = "a title";
  chart.x_label = "classes";
  chart.x = logarithmic_axis(1000.0, 1e6);
  chart.y = logarithmic_axis(1.0, 10000.0);
  chart.lines = {{"a line", {{1000.0, 2.0}, {1e6, last}}}};
  return chart;
}

bool has(const std::string& svg, const std::string& text) {
  return svg.find('>' + text + '<') != std::string::npos;
}

TEST(LineChart, WritesPercentUnlessToldOtherwise) {
  LineChart chart = chart_to(50.0);
  EXPECT_TRUE(has(as_svg(chart, "a"), "50.00%"));
  EXPECT_TRUE(has(as_svg(chart, "a"), "10%"));
  chart.in_percent = false;
  EXPECT_TRUE(has(as_svg(chart, "a"), "50"));
  EXPECT_THAT(as_svg(chart, "a"), ::testing::Not(::testing::HasSubstr("%<")));
}

TEST(LineChart, WritesLargeNumbersWithCommas) {
  LineChart chart = chart_to(9104.2);
  chart.in_percent = false;
  const std::string svg = as_svg(chart, "a");
  EXPECT_TRUE(has(svg, "1,000,000"));
  EXPECT_TRUE(has(svg, "9,104"));
  EXPECT_TRUE(has(svg, "10,000"));
}

TEST(LineChart, KeepsThreeDigitsOfSmallNumbers) {
  LineChart chart = chart_to(1.23456);
  chart.in_percent = false;
  EXPECT_TRUE(has(as_svg(chart, "a"), "1.23"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

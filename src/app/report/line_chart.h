// A chart of lines as SVG, without help from elsewhere: no fonts, no scripts, no style sheets. On a
// screen that prefers dark colours it turns dark.
#pragma once

#include <string>
#include <vector>

#include "app/report/axis.h"

namespace cane::cli {

struct ChartPoint {
  double x;
  double y;
};

struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;  // in order of x; at least one
};

struct LineChart {
  std::string title;
  std::string x_label;
  Axis x;
  Axis y;
  std::vector<ChartLine> lines;
  bool in_percent = true;  // what y counts
};

/// `identity` keeps the elements of several charts on one page apart.
std::string as_svg(const LineChart& chart, const std::string& identity);

}  // namespace cane::cli

// A line chart as self-contained SVG: no external fonts, scripts or style sheets. It turns dark on
// a screen that prefers dark colours.
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
  bool shows_last = true;  // the last value of every line stands next to its name
};

/// `identity` makes element names unique among several charts on one page.
std::string as_svg(const LineChart& chart, const std::string& identity);

}  // namespace cane::cli

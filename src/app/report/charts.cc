#include <algorithm>
#include <limits>

#include "app/report/line_chart.h"
#include "app/report/report.h"

namespace cane::cli {
namespace {

constexpr int kMaxTicks = 8;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::vector<ChartLine> lines_over(const Report& report, double (*x_of)(const CurvePoint& point)) {
  const double scale = report.chart.in_percent ? 100.0 : 1.0;
  std::vector<ChartLine> lines;
  for (const ReportRow& row : report.rows) {
    if (!row.error.empty() || row.curve.empty()) continue;
    ChartLine& line = lines.emplace_back();
    line.name = row.name;
    for (const CurvePoint& point : row.curve) {
      line.points.push_back({x_of(point), scale * point.measures.front()});
    }
  }
  return lines;
}

Axis measure_axis(const ReportChart& chart, const std::vector<ChartLine>& lines) {
  Range range;
  for (const ChartLine& line : lines) {
    for (const ChartPoint& point : line.points) range.include(point.y);
  }
  if (chart.logarithmic) {
    constexpr double kMargin = 1.05;
    return lines.empty() ? logarithmic_axis(1.0, 10.0)
                         : logarithmic_axis(range.low / kMargin, range.high * kMargin);
  }
  if (lines.empty()) return linear_axis(0.0, 100.0, kMaxTicks, 0.0, true);
  // Keeps a minimum range if all values are equal.
  constexpr double kMinRange = 1.0;
  if (range.high - range.low < kMinRange) {
    range = {std::max(range.low - kMinRange, 0.0), std::min(range.high + kMinRange, 100.0)};
  }
  return linear_axis(range.low, range.high, kMaxTicks, 0.0, true);
}

Axis seconds_axis(const std::vector<ChartLine>& lines) {
  Range ends;
  Range all;
  for (const ChartLine& line : lines) {
    ends.include(line.points.back().x);
    all.include(line.points.front().x);
    all.include(line.points.back().x);
  }
  if (lines.empty()) return linear_axis(0.0, 1.0, kMaxTicks, 0.0, false);
  constexpr double kMuchLonger = 20.0;
  constexpr double kMargin = 1.1;
  const bool logarithmic = ends.high > kMuchLonger * ends.low && all.low > 0.0;
  return logarithmic ? logarithmic_axis(all.low / kMargin, all.high * kMargin)
                     : linear_axis(0.0, all.high, kMaxTicks, 0.0, false);
}

std::string title_of(const ReportChart& chart, const char* by) {
  return std::string(chart.title) + (chart.logarithmic ? " (logarithmic)" : "") + ", by " + by;
}

}  // namespace

std::string chart_by_epoch(const Report& report, const std::string& identity) {
  std::vector<ChartLine> lines =
      lines_over(report, [](const CurvePoint& point) { return double(point.epoch); });
  Range epochs = {1.0, 1.0};
  for (const ChartLine& line : lines) epochs.include(line.points.back().x);
  if (epochs.high <= epochs.low) epochs.low = 0.0;
  return as_svg({.title = title_of(report.chart, "epoch"),
                 .x_label = "epoch",
                 .x = linear_axis(epochs.low, epochs.high, kMaxTicks, 1.0, false),
                 .y = measure_axis(report.chart, lines),
                 .lines = std::move(lines),
                 .in_percent = report.chart.in_percent},
                identity);
}

std::string chart_by_seconds(const Report& report, const std::string& identity) {
  std::vector<ChartLine> lines =
      lines_over(report, [](const CurvePoint& point) { return point.seconds; });
  const Axis x = seconds_axis(lines);
  return as_svg(
      {.title = title_of(report.chart, "time"),
       .x_label = x.logarithmic ? "seconds of training (logarithmic)" : "seconds of training",
       .x = x,
       .y = measure_axis(report.chart, lines),
       .lines = std::move(lines),
       .in_percent = report.chart.in_percent},
      identity);
}

}  // namespace cane::cli

#include "cli/cane/compare/charts.h"

#include <algorithm>
#include <limits>

#include "app/report/line_chart.h"

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

std::vector<ChartLine> lines_over(const Comparison& comparison,
                                  double (*x_of)(const CurvePoint& point)) {
  std::vector<ChartLine> lines;
  for (const MethodResult& result : comparison.methods) {
    if (!result.error.empty() || result.curve.empty()) continue;
    ChartLine& line = lines.emplace_back();
    line.name = result.name;
    for (const CurvePoint& point : result.curve) {
      line.points.push_back({x_of(point), 100.0 * point.accuracy});
    }
  }
  return lines;
}

Axis accuracy_axis(const std::vector<ChartLine>& lines) {
  Range range;
  for (const ChartLine& line : lines) {
    for (const ChartPoint& point : line.points) range.include(point.y);
  }
  if (lines.empty()) return linear_axis(0.0, 100.0, kMaxTicks, 0.0, true);
  // Where all are equal there is still something around them.
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

}  // namespace

std::string accuracy_by_epoch(const Comparison& comparison) {
  std::vector<ChartLine> lines =
      lines_over(comparison, [](const CurvePoint& point) { return double(point.epoch); });
  Range epochs = {1.0, 1.0};
  for (const ChartLine& line : lines) epochs.include(line.points.back().x);
  if (epochs.high <= epochs.low) epochs.low = 0.0;
  const Axis y = accuracy_axis(lines);
  return as_svg({"Accuracy on the test data, by epoch", "epoch",
                 linear_axis(epochs.low, epochs.high, kMaxTicks, 1.0, false), y, std::move(lines)},
                "by-epoch");
}

std::string accuracy_by_seconds(const Comparison& comparison) {
  std::vector<ChartLine> lines =
      lines_over(comparison, [](const CurvePoint& point) { return point.seconds; });
  const Axis x = seconds_axis(lines);
  const Axis y = accuracy_axis(lines);
  return as_svg({"Accuracy on the test data, by time",
                 x.logarithmic ? "seconds of training (logarithmic)" : "seconds of training", x, y,
                 std::move(lines)},
                "by-seconds");
}

}  // namespace cane::cli

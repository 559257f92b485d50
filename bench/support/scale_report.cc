#include "bench/support/scale_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/report/line_chart.h"
#include "core/base/words.h"

namespace cane::bench {
namespace {

double train_ratio(const ScalePoint& point) {
  return point.softmax.train_microseconds / point.cane.train_microseconds;
}
double predict_ratio(const ScalePoint& point) {
  return point.softmax.predict_microseconds / point.cane.predict_microseconds;
}

// Three digits, or all digits before the decimal point.
std::string number(double value) {
  constexpr double kThousand = 1000.0;
  return value < kThousand ? fmt::format("{:.3g}", value)
                           : count_text(static_cast<std::uint64_t>(std::llround(value)));
}

std::string json_of(const MethodTimes& times) {
  return fmt::format(
      "{{\"method\": \"{}\", \"train_examples\": {}, \"train_microseconds\": {:.6g}, "
      "\"predict_examples\": {}, \"predict_microseconds\": {:.6g}, \"rows\": {:.6g}, "
      "\"predict_rows\": {:.6g}, \"accuracy\": {:.6g}, \"start_seconds\": {:.6g}}}",
      times.method, times.train_examples, times.train_microseconds, times.predict_examples,
      times.predict_microseconds, times.rows, times.predict_rows, times.accuracy,
      times.start_seconds);
}

std::string percent(double share) {
  return share < 0.0 ? "" : fmt::format("{:.1f}%", 100.0 * share);
}

// Weights read for an example, and the rate at which each thread reads them.
std::string reading(double rows, std::uint32_t dimension, double microseconds, int threads) {
  const double kilobytes = rows * (dimension + 1.0) * sizeof(float) / 1000.0;
  return fmt::format("{} KB, {} GB/s", number(kilobytes),
                     number(kilobytes / microseconds / threads));
}

cli::Axis whole_powers(double low, double high) {
  return cli::logarithmic_axis(std::pow(10.0, std::floor(std::log10(low))),
                               std::pow(10.0, std::ceil(std::log10(high))));
}

}  // namespace

std::string as_markdown(const ScaleReport& report) {
  std::string text = fmt::format(
      "# Time for an example, by the number of classes\n\n"
      "{} dense features by the law of `cane synth`. Training on {} threads; prediction of the "
      "best {} on one thread. Microseconds for an example; `best` is the share of predictions "
      "whose first class is truly the best of the model.\n\n"
      "| classes | examples | cane | training: cane | softmax | ratio | prediction: cane | softmax "
      "| ratio | best | start |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      report.dimension, report.threads, report.top_k);
  for (const ScalePoint& point : report.points) {
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f}% | {} |\n",
                    count_text(point.classes), count_text(point.examples), point.cane.method,
                    number(point.cane.train_microseconds), number(point.softmax.train_microseconds),
                    number(train_ratio(point)), number(point.cane.predict_microseconds),
                    number(point.softmax.predict_microseconds), number(predict_ratio(point)),
                    100.0 * point.agreement, seconds_text(point.cane.start_seconds));
  }
  text += fmt::format(
      "\nAccuracy on unseen examples, and the weights read for an example, with the rate of each "
      "thread. The softmax is trained to the end up to {} classes.\n\n"
      "| classes | accuracy: cane | softmax | training reads | prediction reads |\n"
      "|---|---|---|---|---|\n",
      count_text(report.most_trained));
  for (const ScalePoint& point : report.points) {
    const MethodTimes& cane = point.cane;
    text +=
        fmt::format("| {} | {} | {} | {} | {} |\n", count_text(point.classes),
                    percent(cane.accuracy), percent(point.softmax.accuracy),
                    reading(cane.rows, report.dimension, cane.train_microseconds, report.threads),
                    reading(cane.predict_rows, report.dimension, cane.predict_microseconds, 1));
  }
  if (report.points.size() == 1) return text;
  const ScalePoint& first = report.points.front();
  const ScalePoint& last = report.points.back();
  text += fmt::format(
      "\nFrom {} to {} classes the training time for an example grows by {} for cane, by {} for "
      "the softmax; the prediction time by {} and {}.\n",
      count_text(first.classes), count_text(last.classes),
      number(last.cane.train_microseconds / first.cane.train_microseconds),
      number(last.softmax.train_microseconds / first.softmax.train_microseconds),
      number(last.cane.predict_microseconds / first.cane.predict_microseconds),
      number(last.softmax.predict_microseconds / first.softmax.predict_microseconds));
  return text;
}

std::string as_json(const ScaleReport& report) {
  std::string text =
      fmt::format("{{\"dimension\": {}, \"threads\": {}, \"top_k\": {}, \"points\": [",
                  report.dimension, report.threads, report.top_k);
  for (const ScalePoint& point : report.points) {
    text += fmt::format(
        "{}\n  {{\"classes\": {}, \"examples\": {},\n   \"cane\": {},\n   \"softmax\": {},\n   "
        "\"best\": {:.4f}}}",
        &point == &report.points.front() ? "" : ",", point.classes, point.examples,
        json_of(point.cane), json_of(point.softmax), point.agreement);
  }
  return text + "\n]}\n";
}

std::string as_picture(const ScaleReport& report) {
  struct Figure {
    const char* name;
    double (*of)(const ScalePoint& point);
  };
  static constexpr Figure kFigures[] = {
      {"cane, training", [](const ScalePoint& p) { return p.cane.train_microseconds; }},
      {"softmax, training", [](const ScalePoint& p) { return p.softmax.train_microseconds; }},
      {"cane, prediction", [](const ScalePoint& p) { return p.cane.predict_microseconds; }},
      {"softmax, prediction", [](const ScalePoint& p) { return p.softmax.predict_microseconds; }},
  };
  cli::LineChart chart;
  chart.title = fmt::format(
      "Microseconds for an example (training on {} threads, prediction on one)", report.threads);
  chart.x_label = "classes (both axes logarithmic)";
  chart.in_percent = false;
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;
  for (const Figure& figure : kFigures) {
    cli::ChartLine& line = chart.lines.emplace_back();
    line.name = figure.name;
    for (const ScalePoint& point : report.points) {
      const double y = figure.of(point);
      line.points.push_back({static_cast<double>(point.classes), y});
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  const double fewest = report.points.front().classes;
  chart.x =
      cli::logarithmic_axis(fewest, std::max(10.0 * fewest, 1.0 * report.points.back().classes));
  std::erase_if(chart.x.ticks, [](double tick) {
    const double power = std::log10(tick);
    return std::abs(power - std::round(power)) > 1e-6;
  });
  chart.y = whole_powers(low, high);
  return cli::as_svg(chart, "scale");
}

}  // namespace cane::bench

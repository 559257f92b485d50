#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/line_chart.h"
#include "cli/cane/paper/sections.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

struct Law {
  std::string_view method;
  const char* training;
  const char* prediction;
};

// As the paper states them; c candidates, n noises, b children of a node, J answers. The last two
// of CANE are ours.
constexpr Law kLaws[] = {
    {"softmax", "K", "K"},
    {"nce:10", "n", "K"},
    {"blackout:10", "n", "K"},
    {"neg:10", "n", "K"},
    {"css:10", "n", "K"},
    {"ove:10", "n", "K"},
    {"hsm", "b log_b K", "J b log_b K"},
    {"cane:beam:9+1", "(2c + n) log_b K", "J log_b K"},
    {"cane:narrow:9+1", "K of low rank", "K of low rank"},
    {"cane:centroid:9+1", "(2c + n) log_b K", "J log_b K"},
    {"filter-tree", "log K", "log K"},
    {"lomtree", "log K", "log K"},
    {"recall-tree", "log K", "log K"},
};

const MeasuredRow* row_of(const Lookup& lookup, std::uint32_t classes, std::string_view method) {
  const Outcome* const outcome = lookup.outcome("cost", "compare", fmt::format("{}", classes));
  if (outcome == nullptr) return nullptr;
  const auto found = std::ranges::find(outcome->rows, method, &MeasuredRow::name);
  return found == outcome->rows.end() || !found->error.empty() ? nullptr : &*found;
}

// Microseconds for an example.
std::optional<double> training_time(const MeasuredRow& row, std::uint32_t classes) {
  const auto all = row.value("train_seconds");
  const auto setup = row.value("setup_seconds");
  if (!all || !setup) return std::nullopt;
  return 1e6 * (*all - *setup) / static_cast<double>(cost_examples(classes));
}

std::optional<double> prediction_time(const MeasuredRow& row, std::uint32_t classes) {
  const auto all = row.value("test_seconds");
  if (!all) return std::nullopt;
  return 1e6 * *all / static_cast<double>(cost_tests(classes));
}

using TimeOf = std::optional<double> (*)(const MeasuredRow& row, std::uint32_t classes);

std::vector<ChartPoint> points_of(const Lookup& lookup, const Setting& setting,
                                  std::string_view method, TimeOf time) {
  std::vector<ChartPoint> points;
  for (const std::uint32_t classes : cost_classes(setting.effort)) {
    const MeasuredRow* const row = row_of(lookup, classes, method);
    const std::optional<double> value = row == nullptr ? std::nullopt : time(*row, classes);
    if (value && *value > 0.0) points.push_back({static_cast<double>(classes), *value});
  }
  return points;
}

std::string picture(const Lookup& lookup, const Setting& setting, const char* title, TimeOf time,
                    const std::string& identity) {
  LineChart chart;
  chart.title = title;
  chart.x_label = "classes (logarithmic)";
  chart.in_percent = false;
  double low = 1e30;
  double high = 0.0;
  for (const Law& law : kLaws) {
    std::vector<ChartPoint> points = points_of(lookup, setting, law.method, time);
    for (const ChartPoint& point : points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
    if (!points.empty()) chart.lines.push_back({std::string(law.method), std::move(points)});
  }
  if (chart.lines.empty()) return "";
  const std::vector<std::uint32_t> counts = cost_classes(setting.effort);
  chart.x = logarithmic_axis(0.9 * counts.front(), 1.1 * counts.back() + 1.0);
  chart.x.ticks.assign(counts.begin(), counts.end());
  chart.y = logarithmic_axis(low / 1.2, high * 1.2);
  return as_svg(chart, identity);
}

Table times_table(const Lookup& lookup, const Setting& setting, const char* name, TimeOf time,
                  const char* const Law::*law_of) {
  Table table = {name, {"method", "law of the paper"}, {}};
  const std::vector<std::uint32_t> counts = cost_classes(setting.effort);
  for (const std::uint32_t classes : counts) {
    table.headings.push_back(fmt::format("K = {}", count_text(classes)));
  }
  table.headings.push_back("last / first");
  for (const Law& law : kLaws) {
    std::vector<std::string> row = {std::string(law.method), law.*law_of};
    for (const std::uint32_t classes : counts) {
      const MeasuredRow* const measured = row_of(lookup, classes, law.method);
      const auto value = measured == nullptr ? std::nullopt : time(*measured, classes);
      row.push_back(value ? fmt::format("{}{:.3g} us", measured->is_estimated ? "~" : "", *value)
                          : "");
    }
    const std::vector<ChartPoint> points = points_of(lookup, setting, law.method, time);
    row.push_back(points.size() > 1 ? ratio_text(points.back().y / points.front().y) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section cost_section(const Setting& setting, const Lookup& lookup) {
  Section section;
  section.id = "cost";
  section.heading = "Cost: time for an example against the number of classes";
  section.say(
      "Synthetic classes in 64 dense dimensions, one epoch, wall time on all threads, without "
      "building trees and other starts; `~` is extrapolated from 15 seconds of training. `css`, "
      "`neg`, `ove` and our selectors `narrow` and `centroid` are not in the paper's experiments. "
      "`narrow` scores all classes at low rank, and is for up to some thousands.");
  const std::string training = picture(lookup, setting, "Training: microseconds for an example",
                                       training_time, "cost-training");
  if (!training.empty()) {
    section.blocks.emplace_back(
        Picture{"cost-training", "Training, both axes logarithmic", training});
    section.blocks.emplace_back(
        Picture{"cost-prediction", "Prediction, both axes logarithmic",
                picture(lookup, setting, "Prediction: microseconds for an example", prediction_time,
                        "cost-prediction")});
  }
  section.say("Training:");
  section.blocks.emplace_back(
      times_table(lookup, setting, "cost-training", training_time, &Law::training));
  section.say("Prediction:");
  section.blocks.emplace_back(
      times_table(lookup, setting, "cost-prediction", prediction_time, &Law::prediction));
  section.blocks.emplace_back(lookup.commands("cost", {"compare"}));
  return section;
}

}  // namespace cane::cli::paper

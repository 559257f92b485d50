#include "cli/cane/paper/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

// The part of an id before its seed.
std::string series_of(const std::string& id) {
  return id.substr(0, id.rfind('/'));
}

std::string spread_text(const Averaged& value, double scale) {
  return value.seeds > 1 ? fmt::format(" ± {:.2f}", scale * value.spread) : "";
}

Report report_of(const ChartOf& chart) {
  Report report;
  report.chart = {.title = chart.title.c_str(),
                  .name = "",
                  .in_percent = chart.in_percent,
                  .logarithmic = chart.logarithmic};
  for (const auto& [name, curve] : chart.lines) {
    if (curve.empty()) continue;
    ReportRow& row = report.rows.emplace_back();
    row.name = name;
    row.curve = curve;
  }
  return report;
}

}  // namespace

Lookup::Lookup(const std::vector<Run>& plan, const Outcomes& outcomes)
    : plan_(plan), outcomes_(outcomes) {}

std::vector<const Outcome*> Lookup::all(std::string_view set, std::string_view kind,
                                        const std::string& label) const {
  const std::string wanted = fmt::format("{}/{}/{}", set, kind, label);
  std::vector<const Outcome*> found;
  for (const Run& run : plan_) {
    const auto outcome = outcomes_.find(run.id);
    if (series_of(run.id) == wanted && outcome != outcomes_.end())
      found.push_back(&outcome->second);
  }
  return found;
}

const Outcome* Lookup::outcome(std::string_view set, std::string_view kind,
                               const std::string& label) const {
  const std::vector<const Outcome*> found = all(set, kind, label);
  return found.empty() ? nullptr : found.front();
}

std::optional<Averaged> Lookup::value(std::string_view set, std::string_view kind,
                                      const std::string& label, const std::string& name) const {
  std::vector<double> values;
  Averaged averaged;
  for (const Outcome* outcome : all(set, kind, label)) {
    if (outcome->rows.empty()) continue;
    if (const std::optional<double> value = outcome->row().value(name)) {
      values.push_back(*value);
    } else if (!outcome->row().error.empty()) {
      ++averaged.failed;
    }
    averaged.is_estimated = averaged.is_estimated || outcome->row().is_estimated;
  }
  if (values.empty()) return std::nullopt;
  averaged.seeds = values.size();
  for (const double value : values) averaged.mean += value / static_cast<double>(values.size());
  for (const double value : values) averaged.spread += std::pow(value - averaged.mean, 2);
  averaged.spread =
      std::sqrt(averaged.spread / std::max(static_cast<double>(values.size()) - 1, 1.0));
  return averaged;
}

std::vector<CurvePoint> Lookup::curve(std::string_view set, std::string_view kind,
                                      const std::string& label, const std::string& name) const {
  std::vector<CurvePoint> mean;
  std::size_t seeds = 0;
  for (const Outcome* outcome : all(set, kind, label)) {
    if (outcome->rows.empty() || outcome->row().curve.empty()) continue;
    const std::vector<Values>& curve = outcome->row().curve;
    if (mean.empty()) mean.resize(curve.size(), {0, 0.0, {0.0}});
    for (std::size_t i = 0; i < std::min(mean.size(), curve.size()); ++i) {
      mean[i].epoch = static_cast<std::uint32_t>(curve[i].at("epoch"));
      mean[i].seconds += curve[i].at("seconds");
      mean[i].measures.front() += curve[i].at(name);
    }
    ++seeds;
  }
  for (CurvePoint& point : mean) {
    point.seconds /= static_cast<double>(seeds);
    point.measures.front() /= static_cast<double>(seeds);
  }
  return mean;
}

std::string Lookup::reason(std::string_view set, std::string_view kind,
                           const std::string& label) const {
  const Outcome* const found = outcome(set, kind, label);
  if (found == nullptr) return "not run";
  if (!found->error.empty()) return "failed: " + found->error;
  if (!found->rows.empty() && !found->row().error.empty()) return "failed: " + found->row().error;
  return "";
}

Commands Lookup::commands(std::string_view set, const std::vector<std::string_view>& kinds) const {
  Commands commands;
  for (const Run& run : plan_) {
    const bool is_wanted = std::ranges::any_of(kinds, [&](std::string_view kind) {
      return run.id.find(fmt::format("/{}/", kind)) != std::string::npos;
    });
    const auto outcome = outcomes_.find(run.id);
    if (!is_wanted || outcome == outcomes_.end() || (!set.empty() && !run.id.starts_with(set))) {
      continue;
    }
    const Outcome& found = outcome->second;
    commands.lines.push_back(fmt::format("# {}: {}, {}, {}", run.id, seconds_text(found.seconds),
                                         found.started, found.machine));
    commands.lines.insert(commands.lines.end(), found.commands.begin(), found.commands.end());
  }
  return commands;
}

std::string percent_text(double share) {
  return fmt::format("{:.2f}%", 100.0 * share);
}

std::string percent_text(const std::optional<Averaged>& value, const std::string& otherwise) {
  if (!value) return otherwise;
  return fmt::format("{}{}{}", percent_text(value->mean), spread_text(*value, 100.0),
                     value->failed > 0 ? fmt::format(" ({} failed)", value->failed) : "");
}

std::string time_text(const std::optional<Averaged>& value, const std::string& otherwise) {
  if (!value) return otherwise;
  return fmt::format(
      "{}{}", value->is_estimated ? "~" : "",
      value->mean < 0.1 ? fmt::format("{:.1f} ms", 1e3 * value->mean) : seconds_text(value->mean));
}

std::string perplexity_text(const std::optional<Averaged>& value, const std::string& otherwise) {
  return value ? fmt::format("{:.1f}", value->mean) : otherwise;
}

std::string ratio_text(double ratio) {
  return ratio >= 10.0
             ? fmt::format("{:.0f}", ratio)
             : (ratio >= 1.0 ? fmt::format("{:.1f}", ratio) : fmt::format("{:.2f}", ratio));
}

std::string by_epoch(const ChartOf& chart) {
  const Report report = report_of(chart);
  return report.rows.empty() ? "" : chart_by_epoch(report, chart.identity + "-by-epoch");
}

std::string by_seconds(const ChartOf& chart) {
  const Report report = report_of(chart);
  return report.rows.empty() ? "" : chart_by_seconds(report, chart.identity + "-by-seconds");
}

}  // namespace cane::cli::paper

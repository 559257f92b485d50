#include "app/report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/report/markup.h"
#include "cane/version.h"

namespace cane::cli {
namespace {

std::string exact_text(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

JsonObject as_json(const Report& report, const CurvePoint& point) {
  JsonObject json;
  json.set("epoch", point.epoch);
  json.set("seconds", point.seconds);
  for (std::size_t i = 0; i < point.measures.size(); ++i) {
    json.set(report.curve_names[i], point.measures[i]);
  }
  return json;
}

JsonObject as_json(const Report& report, const ReportRow& row) {
  JsonObject json;
  json.set(report.row_word, row.name);
  if (row.error.empty()) {
    json.set_null("error");
  } else {
    json.set("error", row.error);
  }
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const bool is_number = std::isfinite(row.values[i].value_or(NAN));
    json.set_parsed(report.columns[i].name, is_number ? exact_text(row.values[i]) : "null");
  }
  json.merge(row.more);
  JsonObject options;
  for (const auto& [name, value] : row.options) options.set_parsed(name, value);
  json.set("options", options);
  json.set("notes", row.notes);
  std::vector<JsonObject> curve;
  for (const CurvePoint& point : row.curve) curve.push_back(as_json(report, point));
  json.set("curve", curve);
  return json;
}

}  // namespace

std::string text_of(const Report& report, std::size_t column, const ReportRow& row) {
  const std::optional<double> value = row.values[column];
  if (!value) return "";
  return fmt::format("{}{}", row.is_estimated ? "~" : "", report.columns[column].text(*value));
}

std::vector<std::size_t> columns_of(const Report& report, bool in_table) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    if (report.columns[i].in_table == in_table) chosen.push_back(i);
  }
  return chosen;
}

std::string as_table(const Report& report) {
  std::size_t name_width = report.row_word.size();
  for (const ReportRow& row : report.rows) name_width = std::max(name_width, row.name.size());
  const std::vector<std::size_t> shown = columns_of(report, true);
  std::vector<std::size_t> widths;
  std::string table = fmt::format("{:<{}}", report.row_word, name_width);
  for (const std::size_t column : shown) {
    const std::string_view heading = report.columns[column].heading;
    std::size_t width = heading.size();
    for (const ReportRow& row : report.rows) {
      width = std::max(width, text_of(report, column, row).size());
    }
    widths.push_back(width);
    table += fmt::format("  {:>{}}", heading, width);
  }
  table += '\n';
  for (const ReportRow& row : report.rows) {
    table += fmt::format("{:<{}}", row.name, name_width);
    if (!row.error.empty()) {
      table += fmt::format("  failed: {}\n", row.error);
      continue;
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
      table += fmt::format("  {:>{}}", text_of(report, shown[i], row), widths[i]);
    }
    table += '\n';
  }
  return table;
}

std::string results_csv(const Report& report) {
  std::string csv = report.row_word;
  for (const ReportColumn& column : report.columns) csv += fmt::format(",{}", column.name);
  csv += ",error\n";
  for (const ReportRow& row : report.rows) {
    csv += csv_field(row.name);
    for (const std::optional<double>& value : row.values) csv += ',' + exact_text(value);
    csv += ',' + csv_field(row.error) + '\n';
  }
  return csv;
}

std::string curves_csv(const Report& report) {
  std::string csv = report.row_word + ",epoch,seconds";
  for (const char* name : report.curve_names) csv += fmt::format(",{}", name);
  csv += '\n';
  for (const ReportRow& row : report.rows) {
    for (const CurvePoint& point : row.curve) {
      csv += fmt::format("{},{},{}", csv_field(row.name), point.epoch, point.seconds);
      for (const double measure : point.measures) csv += fmt::format(",{}", measure);
      csv += '\n';
    }
  }
  return csv;
}

JsonObject as_json(const Report& report) {
  JsonObject json;
  json.set("written_by", report.program);
  json.set("version", version());
  json.set("instruction_set", instruction_set());
  json.set("started", report.started);
  json.set("command", report.command);
  json.set("threads", report.threads);
  json.set("interrupted", report.interrupted);
  json.set(report.row_word + "s_planned", report.planned);
  json.merge(report.facts);
  json.set("data", report.data_facts);
  std::vector<JsonObject> rows;
  for (const ReportRow& row : report.rows) rows.push_back(as_json(report, row));
  json.set(report.row_word + "s", rows);
  return json;
}

std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%d %H:%M:%S} UTC",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace cane::cli

#include "app/report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/report/markup.h"
#include "cane/version.h"

namespace cane::cli {
namespace {

std::string exact_text(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

Json as_json(const Report& report, const CurvePoint& point) {
  Json json = Json::object();
  json["epoch"] = point.epoch;
  json["seconds"] = point.seconds;
  for (std::size_t i = 0; i < point.measures.size(); ++i) {
    json[report.curve_names[i]] = point.measures[i];
  }
  return json;
}

Json as_json(const Report& report, const ReportRow& row) {
  Json json = Json::object();
  json[report.row_word] = row.name;
  if (row.error.empty()) {
    json["error"] = nullptr;
  } else {
    json["error"] = row.error;
  }
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const bool is_number = std::isfinite(row.values[i].value_or(NAN));
    json[report.columns[i].name] = json_value_of(is_number ? exact_text(row.values[i]) : "null");
  }
  json.update(row.more);
  Json options = Json::object();
  for (const auto& [name, value] : row.options) options[name] = json_value_of(value);
  json["options"] = options;
  json["notes"] = row.notes;
  Json curve = Json::array();
  for (const CurvePoint& point : row.curve) curve.push_back(as_json(report, point));
  json["curve"] = curve;
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

Json as_json(const Report& report) {
  Json json = Json::object();
  json["written_by"] = report.program;
  json["version"] = version();
  json["instruction_set"] = instruction_set();
  json["started"] = report.started;
  json["command"] = report.command;
  json["threads"] = report.threads;
  json["interrupted"] = report.interrupted;
  json[report.row_word + "s_planned"] = report.planned;
  json.update(report.facts);
  json["data"] = report.data_facts;
  Json rows = Json::array();
  for (const ReportRow& row : report.rows) rows.push_back(as_json(report, row));
  json[report.row_word + "s"] = rows;
  return json;
}

std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%d %H:%M:%S} UTC",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace cane::cli

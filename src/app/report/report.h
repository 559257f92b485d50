// The results of a comparison so far: everything that its table, files and charts show. A program
// defines its columns and curves; the rest is the same for both programs.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/json_lines.h"

namespace cane::cli {

/// One measure of every row.
struct ReportColumn {
  bool in_table;  // on the terminal; the others are only in the files
  std::string heading;
  std::string name;     // in CSV and JSON
  std::string meaning;  // for readers who do not know it
  bool less_is_better;
  std::function<std::string(double value)> text;  // as shown to readers
};

/// A point after an epoch, with the measures of Report::curve_names.
struct CurvePoint {
  std::uint32_t epoch = 0;
  double seconds = 0.0;  // training time so far, without measuring
  std::vector<double> measures;
};

struct ReportRow {
  std::string name;
  std::string error;          // empty: training succeeded
  bool is_estimated = false;  // it was stopped for its length: the values are estimated times
  std::vector<std::optional<double>> values;  // one for each column
  std::vector<CurvePoint> curve;
  std::vector<std::pair<std::string, std::string>> options;  // the same names in all rows
  std::vector<std::string> notes;                            // messages of training
  Json more = Json::object();                                // only for results.json
};

/// How the first measure of the curves is drawn.
struct ReportChart {
  const char* title;  // "Accuracy on the test data"
  const char* name;   // begins the names of the pictures: "accuracy"
  bool in_percent = false;
  bool logarithmic = false;
};

struct Report {
  std::string program;   // and its verb: "cane compare"
  std::string row_word;  // what a row is: "method"
  std::string source;    // the training data, in the title of the page
  std::string subject;   // what all rows were tried on: "20 classes"
  std::string conditions;
  std::string data;          // a sentence about the data, in HTML
  std::string more_heading;  // heading of the columns that are not in the table
  std::string remark;        // on how it was run, after the threads
  std::string command;
  std::string started;  // date and time, UTC
  int threads = 0;
  Json facts = Json::object();       // for results.json: more entries,
  Json data_facts = Json::object();  // and the facts of its "data"
  std::vector<ReportColumn> columns;
  std::vector<const char*> curve_names;
  ReportChart chart;
  std::size_t planned = 0;  // rows
  bool interrupted = false;
  std::vector<ReportRow> rows;  // in the order of training
};

/// Empty where there is no value.
std::string text_of(const Report& report, std::size_t column, const ReportRow& row);
/// The columns in the table, or the others.
std::vector<std::size_t> columns_of(const Report& report, bool in_table);

/// Aligned text, one line per row.
std::string as_table(const Report& report);
/// CSV (RFC 4180) and JSON; docs/file-formats.md describes their contents.
std::string results_csv(const Report& report);
std::string curves_csv(const Report& report);
Json as_json(const Report& report);

/// Charts of the first measure of the curves, as SVG. Rows that failed are left out. Seconds are on
/// a logarithmic axis if some rows take much longer than others. `identity` is unique on a page.
std::string chart_by_epoch(const Report& report, const std::string& identity = "by-epoch");
std::string chart_by_seconds(const Report& report, const std::string& identity = "by-seconds");

/// A self-contained HTML page: table, charts, options, data, command.
std::string as_page(const Report& report);

/// The current date and time, in the format of Report::started.
std::string utc_now();

}  // namespace cane::cli

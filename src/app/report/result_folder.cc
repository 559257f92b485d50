#include "app/report/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/interrupt.h"
#include "app/json_lines.h"
#include "app/output.h"
#include "app/say.h"
#include "app/verb.h"
#include "cane/error.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

struct ResultFile {
  std::string name;
  std::string (*content)(const Report& report);
};

// The page comes last: if it exists, all files exist.
std::vector<ResultFile> files_of(const Report& report) {
  const std::string chart = report.chart.name;
  return {
      {kResultsName, [](const Report& all) { return json_text(as_json(all), 1) + '\n'; }},
      {"results.csv", results_csv},
      {"curves.csv", curves_csv},
      {chart + "-by-epoch.svg", [](const Report& all) { return chart_by_epoch(all); }},
      {chart + "-by-seconds.svg", [](const Report& all) { return chart_by_seconds(all); }},
      {"index.html", as_page},
  };
}

}  // namespace

std::vector<OutputFile> result_files(const std::string& folder, const std::string& program,
                                     const std::string& chart) {
  Report report;
  report.chart.name = chart.c_str();
  std::vector<std::string> names;
  for (const ResultFile& file : files_of(report)) names.push_back(file.name);
  return files_in_folder("--out", folder, names, kResultsName, fmt::format("\"{}\"", program));
}

ResultFolder::ResultFolder(const std::string& option, const std::string& path) : path_(path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path)) {
    throw Error(fmt::format("{}: {}: the folder cannot be made{}; choose another one", option, path,
                            error ? ": " + error.message() : ""));
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    throw Error(
        fmt::format("{}: the folder {} cannot be written to; choose another one", option, path));
  }
}

void ResultFolder::write(const std::string& name, const std::string& content) const {
  Output file((fs::path(path_) / name).string());
  file.write(content);
  file.finish();
}

void ResultFolder::write(const Report& report) const {
  for (const ResultFile& file : files_of(report)) write(file.name, file.content(report));
}

namespace {

void print_end(const Report& report, const CompareRun& run) {
  if (report.interrupted) {
    say("\ninterrupted; {} of {} {}s are finished\n", report.rows.size(), report.planned,
        report.row_word);
  }
  if (report.rows.empty()) return;
  const auto page = std::filesystem::path(run.folder) / "index.html";
  say("\nsaved in {}; to look at it all, open {}\n\n", run.folder, page.string());
}

}  // namespace

int run_comparison(Report& report, const CompareRun& run,
                   const std::function<std::optional<ReportRow>(std::size_t i)>& run_row) {
  const ResultFolder folder("--out", run.folder);
  report.planned = run.names.size();
  catch_interrupts("stopping; what is finished is kept");
  for (std::size_t i = 0; i < run.names.size() && !report.interrupted; ++i) {
    if (!run.quiet) say("\n{}, {} of {}\n", run.names[i], i + 1, run.names.size());
    if (std::optional<ReportRow> row = run_row(i)) {
      if (!row->error.empty()) say("{}: {}\n", row->name, row->error);
      report.rows.push_back(std::move(*row));
    }
    report.interrupted = interrupt_requested() && report.rows.size() < report.planned;
    if (!report.rows.empty()) folder.write(report);
  }
  if (!run.quiet) print_end(report, run);
  Output output("");
  output.write(run.json ? json_text(as_json(report)) + '\n' : as_table(report));
  output.finish();
  if (report.interrupted) return kExitInterrupted;
  const bool has_failed =
      std::ranges::any_of(report.rows, [](const ReportRow& row) { return !row.error.empty(); });
  return has_failed ? kExitUserError : kExitDone;
}

}  // namespace cane::cli

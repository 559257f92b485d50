#include "app/report/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/output.h"
#include "cane/error.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJsonName = "results.json";

struct ResultFile {
  std::string name;
  std::string (*content)(const Report& report);
};

// The page comes last: if it exists, all files exist.
std::vector<ResultFile> files_of(const Report& report) {
  const std::string chart = report.chart.name;
  return {
      {kJsonName, [](const Report& all) { return as_json(all).indented_text() + '\n'; }},
      {"results.csv", results_csv},
      {"curves.csv", curves_csv},
      {chart + "-by-epoch.svg", chart_by_epoch},
      {chart + "-by-seconds.svg", chart_by_seconds},
      {"index.html", as_page},
  };
}

void write_file(const fs::path& path, const std::string& content) {
  Output file(path.string());
  file.write(content);
  file.finish();
}

}  // namespace

std::vector<OutputFile> result_files(const std::string& folder, const std::string& program,
                                     const std::string& chart) {
  Report report;
  report.chart.name = chart.c_str();
  std::vector<std::string> names;
  for (const ResultFile& file : files_of(report)) names.push_back(file.name);
  return files_in_folder("--out", folder, names, kJsonName, fmt::format("\"{}\"", program));
}

ResultFolder::ResultFolder(const std::string& path) : path_(path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path)) {
    throw Error(fmt::format("--out: {}: the folder cannot be made{}; choose another one", path,
                            error ? ": " + error.message() : ""));
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("--out: the folder {} cannot be written to; choose another one", path));
  }
}

void ResultFolder::write(const Report& report) const {
  for (const ResultFile& file : files_of(report)) {
    write_file(fs::path(path_) / file.name, file.content(report));
  }
}

}  // namespace cane::cli

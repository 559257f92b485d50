#include "app/report/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

// results.json names the program that wrote it near its beginning.
bool was_written_by(const std::string& program, const fs::path& path) {
  std::ifstream file(path);
  std::string opening;
  std::string line;
  while (opening.size() < 100 && std::getline(file, line)) opening += line;
  return opening.find(fmt::format("\"{}\"", program)) != std::string::npos;
}

void write_file(const fs::path& path, const std::string& content) {
  Output file(path.string());
  file.write(content);
  file.finish();
}

}  // namespace

ResultFolder::ResultFolder(const std::string& path, const Report& report) : path_(path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path)) {
    throw Error(fmt::format("--out: {}: the folder cannot be made{}; choose another one", path,
                            error ? ": " + error.message() : ""));
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("--out: the folder {} cannot be written to; choose another one", path));
  }
  if (was_written_by(report.program, fs::path(path) / kJsonName)) return;
  for (const ResultFile& file : files_of(report)) {
    if (!fs::exists(fs::path(path) / file.name)) continue;
    throw Error(
        fmt::format("--out: {} was not written by `{}` and would be lost; choose another folder",
                    (fs::path(path) / file.name).string(), report.program));
  }
}

void ResultFolder::write(const Report& report) const {
  for (const ResultFile& file : files_of(report)) {
    write_file(fs::path(path_) / file.name, file.content(report));
  }
}

}  // namespace cane::cli

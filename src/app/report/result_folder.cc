#include "cli/cane/compare/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/output.h"
#include "cane/error.h"
#include "cli/cane/compare/charts.h"
#include "cli/cane/compare/data_files.h"
#include "cli/cane/compare/page.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJsonName = "results.json";

std::string json_text(const Comparison& comparison) {
  return as_json(comparison).indented_text() + '\n';
}

// The page is last: when it is there, all is there.
constexpr struct {
  const char* name;
  std::string (*content)(const Comparison& comparison);
} kFiles[] = {
    {kJsonName, json_text},
    {"results.csv", results_csv},
    {"curves.csv", curves_csv},
    {"accuracy-by-epoch.svg", accuracy_by_epoch},
    {"accuracy-by-seconds.svg", accuracy_by_seconds},
    {"index.html", as_page},
};

bool has_our_mark(const fs::path& path) {
  std::ifstream file(path);
  std::string opening;
  std::string line;
  while (opening.size() < 100 && std::getline(file, line)) opening += line;
  return opening.find(fmt::format("\"{}\"", kJsonMark)) != std::string::npos;
}

void write_file(const fs::path& path, const std::string& content) {
  Output file(path.string());
  file.write(content);
  file.finish();
}

}  // namespace

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
  if (has_our_mark(fs::path(path) / kJsonName)) return;
  for (const auto& file : kFiles) {
    if (!fs::exists(fs::path(path) / file.name)) continue;
    throw Error(
        fmt::format("--out: {} was not written by `cane compare` and would be lost; choose "
                    "another folder",
                    (fs::path(path) / file.name).string()));
  }
}

void ResultFolder::write(const Comparison& comparison) const {
  for (const auto& file : kFiles) write_file(fs::path(path_) / file.name, file.content(comparison));
}

}  // namespace cane::cli

// The folder of a report. Its files can be rewritten while a comparison runs; each is replaced
// atomically, so that stopping the program leaves complete files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/file_guard.h"
#include "app/report/report.h"

namespace cane::cli {

/// By this file of a folder its other files are recognised.
inline constexpr const char* kResultsName = "results.json";

/// The outputs of a comparison by `program` ("cane compare"), whose results.json names it; `chart`
/// is the name of its pictures.
std::vector<OutputFile> result_files(const std::string& folder, const std::string& program,
                                     const std::string& chart);

class ResultFolder {
 public:
  /// Creates the folder if it is missing. Throws Error, which names the option, if it cannot be
  /// written to.
  ResultFolder(const std::string& option, const std::string& path);

  void write(const std::string& name, const std::string& content) const;
  /// The files of a comparison.
  void write(const Report& report) const;

 private:
  std::string path_;
};

struct CompareRun {
  std::string folder;
  std::vector<std::string> names;  // names of the planned rows
  bool quiet = false;
  bool json = false;  // prints results.json instead of the table
};

/// The verb `compare` of both programs: trains the listed rows one after another, writes the
/// results after each, and prints the table. `report` has everything but the rows; `run_row` trains
/// row i, and returns nothing if the user stopped it. A row with an error is kept, and the others
/// continue. Returns the exit code.
int run_comparison(Report& report, const CompareRun& run,
                   const std::function<std::optional<ReportRow>(std::size_t i)>& run_row);

}  // namespace cane::cli

// The folder of a report. Its files can be rewritten while a comparison runs; each is replaced
// atomically, so that stopping the program leaves complete files.
#pragma once

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

}  // namespace cane::cli

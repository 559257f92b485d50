// The folder of a comparison. Its files can be written again and again while the comparison runs;
// each is replaced at once, so that whoever stops the program finds whole files.
#pragma once

#include <string>

#include "app/report/report.h"

namespace cane::cli {

class ResultFolder {
 public:
  /// Makes the folder if it is missing. Throws Error if it cannot be written to, or if it has files
  /// of the same names that no comparison of this program made.
  ResultFolder(const std::string& path, const Report& report);

  void write(const Report& report) const;

 private:
  std::string path_;
};

}  // namespace cane::cli

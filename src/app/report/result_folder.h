// The folder of a comparison. Its files can be rewritten while the comparison runs; each is
// replaced atomically, so that stopping the program leaves complete files.
#pragma once

#include <string>

#include "app/report/report.h"

namespace cane::cli {

class ResultFolder {
 public:
  /// Creates the folder if it is missing. Throws Error if it cannot be written to, or if it has
  /// files of the same names that were not made by a comparison of this program.
  ResultFolder(const std::string& path, const Report& report);

  void write(const Report& report) const;

 private:
  std::string path_;
};

}  // namespace cane::cli

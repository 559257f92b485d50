// What makes two runs the same: the version of the program, the commands and the content of the
// data. Names of folders are no part of it, so that a run made elsewhere is recognised; nor are
// limits of time.
#pragma once

#include <map>
#include <string>

#include "cli/cane/paper/plan.h"

namespace cane::cli::paper {

class Fingerprints {
 public:
  /// 16 hexadecimal digits; `run` has nothing left to be picked. Throws Error if its data cannot be
  /// read.
  std::string of(const Run& run);

 private:
  std::string of_file(const std::string& path);

  std::map<std::string, std::string> files_;  // of files that were read already
};

}  // namespace cane::cli::paper

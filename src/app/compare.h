// The verb `compare` of both programs: trains the listed rows one after another, writes the results
// after each, and prints the table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/report/report.h"

namespace cane::cli {

struct CompareRun {
  std::string folder;
  std::vector<std::string> names;  // names of the planned rows
  bool quiet = false;
  bool json = false;  // prints results.json instead of the table
};

/// `report` has everything but the rows; `run_row` trains row i, and returns nothing if the user
/// stopped it. A row with an error is kept, and the others continue. Returns the exit code.
int run_comparison(Report& report, const CompareRun& run,
                   const std::function<std::optional<ReportRow>(std::size_t i)>& run_row);

}  // namespace cane::cli

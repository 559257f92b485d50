// Shows training: messages, a progress bar on a terminal, a table line for every epoch, and the
// same events in the log. The program chooses what is measured after an epoch.
#pragma once

#include <string>
#include <vector>

#include "app/json_lines.h"
#include "app/progress_bar.h"
#include "cane/train.h"
#include "core/base/stopwatch.h"

namespace cane::cli {

/// One cell in the line of an epoch.
struct EpochCell {
  const char* heading;
  int width;
  std::string text;
};

class TrainDisplay {
 public:
  /// `log` must outlive this. With `quiet` only the log is written. `unit` is what training counts,
  /// a constant: "examples", "tokens".
  TrainDisplay(bool quiet, JsonLines& log, const char* unit)
      : quiet_(quiet), log_(log), unit_(unit) {}

  void show_message(const std::string& message);
  void show_progress(const TrainProgress& progress);
  /// All epochs have the same cells; `fields` go to the log.
  void show_epoch(const std::vector<EpochCell>& cells, bool best, const Json& fields);

 private:
  bool quiet_;
  JsonLines& log_;
  const char* unit_;
  ProgressBar bar_;
  bool has_header_ = false;
  bool has_logged_ = false;
  Stopwatch since_logged_;
};

}  // namespace cane::cli

// What a training shows: a bar or lines on stderr, and the log.
#pragma once

#include <string>

#include "app/json_lines.h"
#include "app/progress_bar.h"
#include "lm/engine/trainer.h"

namespace cane::lm {

class TrainDisplay {
 public:
  TrainDisplay(cli::JsonLines& log, bool quiet) : log_(log), quiet_(quiet) {}

  TrainListener listener();

 private:
  void on_progress(const TrainProgress& progress);
  void on_epoch(const EpochReport& report);

  cli::JsonLines& log_;
  bool quiet_;
  bool has_header_ = false;
  double last_logged_ = 0.0;
  cli::ProgressBar bar_;
};

}  // namespace cane::lm

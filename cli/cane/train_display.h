// Shows training to the user: messages, a progress bar on a terminal, a table line for every epoch,
// and the same events in the log.
#pragma once

#include <chrono>
#include <string>

#include "app/json_lines.h"
#include "app/progress_bar.h"
#include "cane/train.h"

namespace cane::cli {

class TrainDisplay : public TrainObserver {
 public:
  /// `log` must outlive this. With `quiet` only the log is written. `measured` heads the accuracy.
  TrainDisplay(bool quiet, JsonLines& log, const char* measured = "valid")
      : quiet_(quiet), log_(log), measured_(measured) {}

  void on_message(const std::string& text) override;
  void on_progress(const TrainProgress& progress) override;
  void on_epoch(const EpochReport& report) override;
  bool stop_requested() override;

  /// Of the last epoch that was finished, in training alone; 0 before that.
  double seconds() const { return seconds_; }

 private:
  void print_epoch(const EpochReport& report);

  bool quiet_;
  JsonLines& log_;
  const char* measured_;
  ProgressBar bar_;
  bool has_header_ = false;
  double seconds_ = 0.0;
  std::chrono::steady_clock::time_point last_logged_;
};

}  // namespace cane::cli

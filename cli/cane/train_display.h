// Shows the training of `cane`: the accuracy on validation or test data after every epoch. Also
// compares its memory with the estimate of `cane train --dry-run`, and its time with the prediction
// from its first batches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/train_display.h"
#include "cane/train.h"
#include "core/base/stopwatch.h"

namespace cane::cli {

/// A warning for each figure that is far from its estimate. `predicted`: seconds, 0: none.
std::vector<std::string> cost_warnings(double predicted, double seconds,
                                       std::uint64_t expected_bytes, std::uint64_t peak_bytes);

/// The largest resident memory of this process so far.
std::uint64_t peak_memory();

class CostWatch {
 public:
  void look(const TrainProgress& progress);
  /// The total time predicted once training had run for as long as --dry-run measures; 0: it ended
  /// before.
  double predicted() const { return predicted_; }

 private:
  std::optional<Stopwatch> since_start_;
  double predicted_ = 0.0;
};

class AccuracyDisplay : public TrainObserver {
 public:
  /// `log` must outlive this. With `quiet` only the log is written. `measured` is the heading of
  /// the accuracy.
  AccuracyDisplay(bool quiet, JsonLines& log, const char* measured = "valid")
      : display_(quiet, log, "examples"), measured_(measured) {}

  void on_message(const std::string& text) override { display_.show_message(text); }
  void on_progress(const TrainProgress& progress) override {
    display_.show_progress(progress);
    cost_.look(progress);
  }
  void on_epoch(const EpochReport& report) override;
  bool stop_requested() override;

  /// Training time up to the last finished epoch; 0 before that.
  double seconds() const { return seconds_; }
  /// See CostWatch::predicted().
  double predicted_seconds() const { return cost_.predicted(); }

 private:
  TrainDisplay display_;
  const char* measured_;
  double seconds_ = 0.0;
  CostWatch cost_;
};

}  // namespace cane::cli

// Shows the training of `cane`: the accuracy on validation or test data after every epoch.
#pragma once

#include <string>

#include "app/train_display.h"
#include "cane/train.h"
#include "cli/cane/cost_watch.h"

namespace cane::cli {

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

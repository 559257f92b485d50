// Shows the training of `cane-lm`: the perplexity of the validation text after every epoch.
#pragma once

#include "app/train_display.h"
#include "lm/engine/trainer.h"

namespace cane::lm {

class PerplexityDisplay {
 public:
  /// `log` must outlive this. With `quiet` only the log is written.
  PerplexityDisplay(bool quiet, cli::JsonLines& log) : display_(quiet, log, "tokens") {}

  TrainListener listener();

 private:
  void on_epoch(const LmEpochReport& report);

  cli::TrainDisplay display_;
};

}  // namespace cane::lm

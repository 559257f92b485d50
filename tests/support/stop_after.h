// Interrupts a training run midway, as a user does.
#pragma once

#include "cane/train.h"

namespace cane::testing {

/// Requests the stop after `questions` calls of stop_requested.
class StopAfter : public TrainObserver {
 public:
  explicit StopAfter(int questions) : questions_(questions) {}
  bool stop_requested() override { return --questions_ < 0; }

 private:
  int questions_;
};

}  // namespace cane::testing

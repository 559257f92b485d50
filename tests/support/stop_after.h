// Interrupts a training in its midst, as a user does.
#pragma once

#include "cane/train.h"

namespace cane::testing {

/// Asks for the stop once it was asked `questions` times whether there is one.
class StopAfter : public TrainObserver {
 public:
  explicit StopAfter(int questions) : questions_(questions) {}
  bool stop_requested() override { return --questions_ < 0; }

 private:
  int questions_;
};

}  // namespace cane::testing

// One line at the foot of the terminal that shows how far training is. Draws nothing unless stderr
// is a terminal.
#pragma once

#include "cane/train.h"

namespace cane::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void draw(const TrainProgress& progress);
  /// So that other lines can be printed.
  void clear();

 private:
  bool on_terminal_;
  bool drawn_ = false;
};

}  // namespace cane::cli

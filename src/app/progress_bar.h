// One line at the bottom of the terminal that shows the progress of training or a search. Draws
// nothing unless stderr is a terminal.
#pragma once

#include <string>

namespace cane::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws `left`, a bar filled to `share`, and `right`; the bar is left out if it does not fit.
  void draw(const std::string& left, double share, const std::string& right);
  /// Removes the line so that other lines can be printed.
  void clear();

 private:
  bool on_terminal_;
  bool drawn_ = false;
};

}  // namespace cane::cli

// One line at the foot of the terminal that shows how far training or a search is. Draws nothing
// unless stderr is a terminal.
#pragma once

#include <string>

namespace cane::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `left`, a bar of which `share` is full, `right`; the bar is left out if it does not fit.
  void draw(const std::string& left, double share, const std::string& right);
  /// So that other lines can be printed.
  void clear();

 private:
  bool on_terminal_;
  bool drawn_ = false;
};

}  // namespace cane::cli

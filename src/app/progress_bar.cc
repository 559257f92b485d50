#include "app/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/say.h"

namespace cane::cli {
namespace {

std::size_t terminal_width() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

ProgressBar::ProgressBar() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::draw(const std::string& left, double share, const std::string& right) {
  if (!on_terminal_) return;
  // The last column stays free: many terminals wrap when it is written.
  const std::size_t width = terminal_width() - 1;
  std::string line = left;
  constexpr std::size_t kShortest = 5;
  const std::size_t taken = left.size() + right.size() + 2;
  if (width >= taken + kShortest) {
    const std::size_t length = std::min<std::size_t>(width - taken, 40);
    const auto full = static_cast<std::size_t>(share * static_cast<double>(length));
    line += '[' + std::string(full, '#') + std::string(length - full, '.') + ']';
  }
  line += right;
  say("\r{}\x1b[K", line.substr(0, width));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  say("\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace cane::cli

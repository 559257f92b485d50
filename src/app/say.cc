#include "app/say.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace cane::cli {
namespace {

bool& silence() {
  static bool is_kept = false;
  return is_kept;
}

}  // namespace

void be_silent() {
  silence() = true;
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

void break_silence() {
  silence() = false;
}

bool is_silent() {
  return silence();
}

void hold_standard_streams() {
  // open() takes the lowest free number, so the numbers are filled in this order.
  constexpr std::pair<int, int> kStreams[] = {
      {STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}};
  for (const auto& [stream, mode] : kStreams) {
    if (::fcntl(stream, F_GETFD) < 0) {
      [[maybe_unused]] const int opened = ::open("/dev/null", mode);
    }
  }
}

}  // namespace cane::cli

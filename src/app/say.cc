#include "app/say.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace cane::cli {
namespace {

bool is_muted = false;

}  // namespace

void mute_output() {
  is_muted = true;
  const int null_device = ::open("/dev/null", O_WRONLY);
  if (null_device < 0) return;
  ::dup2(null_device, STDOUT_FILENO);
  ::close(null_device);
}

void unmute_output() {
  is_muted = false;
}

bool is_output_muted() {
  return is_muted;
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

#include "app/say.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace cane::cli {

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

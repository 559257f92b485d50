#include "cli/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "cli/verbs.h"

namespace cane::cli {
namespace {

volatile std::sig_atomic_t requested = 0;

void on_signal(int) {
  if (requested != 0) ::_exit(kExitInterrupted);
  requested = 1;
  constexpr std::string_view kNote =
      "\ncane: stopping at the next batch to save; once more ends at once\n";
  const int error_before = errno;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNote.data(), kNote.size());
  errno = error_before;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupt_requested() {
  return requested != 0;
}

}  // namespace cane::cli

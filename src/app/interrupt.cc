#include "app/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "app/verb.h"

namespace cane::cli {
namespace {

volatile std::sig_atomic_t requested = 0;
std::atomic<const char*> program_name = "cane";
std::atomic<const char*> note_of_verb = nullptr;

void write_to_stderr(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void on_signal(int) {
  if (requested != 0) ::_exit(kExitInterrupted);
  requested = 1;
  const int error_before = errno;
  write_to_stderr("\n");
  write_to_stderr(program_name.load());
  write_to_stderr(": ");
  write_to_stderr(note_of_verb.load());
  write_to_stderr("; once more ends at once\n");
  errno = error_before;
}

auto handler_of(int signal) {
  struct sigaction current = {};
  ::sigaction(signal, nullptr, &current);
  return current.sa_handler;
}

// A mapped file got shorter: nothing can be saved, but the cause can be reported.
void on_lost_file(int) {
  write_to_stderr(program_name.load());
  write_to_stderr(
      ": a file that was being read got shorter, or its disk failed; put it back, and run "
      "again\n");
  ::_exit(kExitUserError);
}

}  // namespace

void catch_file_signals(const char* program) {
  program_name = program;
  struct sigaction action = {};
  action.sa_handler = on_lost_file;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
  // Writing then fails as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

void catch_interrupts(const char* note) {
  note_of_verb = note;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // A closed terminal, unless `nohup` has it ignored.
  if (handler_of(SIGHUP) != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

void end_on_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (handler_of(signal) == on_signal) std::signal(signal, SIG_DFL);
  }
}

void ignore_interrupts() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
}

bool interrupt_requested() {
  return requested != 0;
}

}  // namespace cane::cli

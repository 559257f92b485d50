#include "cli/cane/paper/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "app/interrupt.h"
#include "cane/error.h"
#include "core/base/stopwatch.h"

namespace cane::cli::paper {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotStart = 127;
constexpr double kPatience = 10.0;  // seconds between asking a child to end and killing it
constexpr std::chrono::milliseconds kLook(100);

// Only calls that are safe after a fork: another thread may have held any lock.
[[noreturn]] void become(const char* program, char* const* arguments, const char* output_path,
                         const char* log_path) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The terminal's Ctrl-C reaches this program, which passes it on.
  ::setpgid(0, 0);
  constexpr int kMode = 0644;
  const int input = ::open("/dev/null", O_RDONLY);
  const int output = ::open(output_path, O_WRONLY | O_CREAT | O_TRUNC, kMode);
  const int log = ::open(log_path, O_WRONLY | O_CREAT | O_APPEND, kMode);
  if (input < 0 || output < 0 || log < 0 || ::dup2(input, STDIN_FILENO) < 0 ||
      ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(log, STDERR_FILENO) < 0) {
    ::_exit(kCannotStart);
  }
  ::execv(program, arguments);
  ::_exit(kCannotStart);
}

void ask_to_end(pid_t child, const Stopwatch& watch, double& asked_at) {
  if (asked_at < 0.0) {
    asked_at = watch.seconds();
    ::kill(child, SIGTERM);
  } else if (watch.seconds() - asked_at > kPatience) {
    ::kill(child, SIGKILL);
  }
}

}  // namespace

ProcessEnd run_process(const std::string& program, const Arguments& arguments,
                       const std::string& output_path, const std::string& log_path,
                       const std::function<void(double seconds)>& look) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Stopwatch watch;
  const pid_t child = ::fork();
  if (child < 0) {
    throw Error(fmt::format("{} cannot be started: {}", program, std::strerror(errno)));
  }
  if (child == 0) become(program.c_str(), pointers.data(), output_path.c_str(), log_path.c_str());
  double asked_at = -1.0;
  int status = 0;
  struct rusage usage = {};
  for (;;) {
    const pid_t ended = ::wait4(child, &status, WNOHANG, &usage);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (interrupt_requested()) ask_to_end(child, watch, asked_at);
    look(watch.seconds());
    std::this_thread::sleep_for(kLook);
  }
  constexpr std::uint64_t kUnit = 1024;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code == kCannotStart) throw Error(fmt::format("{} cannot be started", program));
  return {code, watch.seconds(), static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit};
}

std::string find_program(const std::string& name) {
  const auto is_program = [](const fs::path& path) {
    return fs::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  // In a build the programs lie in folders of their own.
  for (const fs::path& beside : {own.parent_path() / name, own.parent_path() / name / name}) {
    if (!error && is_program(beside)) return beside.string();
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  }
  return {};
}

}  // namespace cane::cli::paper

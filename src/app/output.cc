#include "app/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "cane/error.h"

namespace cane::cli {
namespace {

// Pipes and devices are written in place; only a file can be replaced.
bool is_replaceable(const std::string& path) {
  const auto status = std::filesystem::status(path);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

// The file to remove if the program is stopped, so that nothing half-written remains.
const char* volatile unfinished = nullptr;

void remove_unfinished(int signal) {
  if (unfinished != nullptr) ::unlink(unfinished);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A signal that is ignored, or that the verb handles as a request to stop, is left alone.
void remove_unfinished_on(int signal) {
  struct sigaction current = {};
  ::sigaction(signal, nullptr, &current);
  if (current.sa_handler == SIG_DFL) std::signal(signal, remove_unfinished);
}

}  // namespace

Output::Output(const std::string& path) : path_(path) {
  if (path.empty()) {
    file_ = stdout;
    return;
  }
  if (is_replaceable(path)) temporary_path_ = fmt::format("{}.tmp.{}", path, ::getpid());
  file_ = std::fopen(temporary_path_.empty() ? path.c_str() : temporary_path_.c_str(), "w");
  if (file_ == nullptr) fail("open");
  if (temporary_path_.empty()) return;
  unfinished = temporary_path_.c_str();
  remove_unfinished_on(SIGINT);
  remove_unfinished_on(SIGTERM);
}

Output::~Output() {
  if (file_ == nullptr || path_.empty()) return;
  std::fclose(file_);
  unfinished = nullptr;
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void Output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("write");
}

void Output::flush() {
  if (std::fflush(file_) != 0) fail("write");
}

void Output::finish() {
  if (std::fflush(file_) != 0) fail("write");
  if (path_.empty()) return;
  if (!temporary_path_.empty()) {
    if (::fsync(::fileno(file_)) != 0) fail("sync");
    if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail("rename");
    unfinished = nullptr;
  }
  std::fclose(file_);
  file_ = nullptr;
}

void Output::fail(const char* action) const {
  if (errno == EPIPE) throw ClosedPipe();
  throw Error(fmt::format("{}: cannot {}: {}; choose another place",
                          path_.empty() ? "standard output" : path_, action, std::strerror(errno)));
}

}  // namespace cane::cli

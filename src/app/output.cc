#include "app/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "cane/error.h"
#include "core/file/file_kind.h"
#include "core/file/output_target.h"

namespace cane::cli {
namespace {

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
    stream_ = stdout;
  } else if (output_target(path).is_stream) {
    stream_ = std::fopen(path.c_str(), "w");
    if (stream_ == nullptr) fail("open");
  } else {
    file_.emplace(path);
    unfinished = file_->temporary_path().c_str();
    remove_unfinished_on(SIGINT);
    remove_unfinished_on(SIGTERM);
    remove_unfinished_on(SIGHUP);
  }
}

Output::~Output() {
  if (file_) unfinished = nullptr;
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
}

void Output::write(std::string_view text) {
  constexpr std::size_t kBufferSize = std::size_t{1} << 16;
  if (!file_) {
    if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail("write");
    return;
  }
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::flush() {
  if (!file_) {
    if (std::fflush(stream_) != 0) fail("write");
    return;
  }
  file_->write(buffer_);
  buffer_.clear();
}

void Output::finish(Content content) {
  flush();
  if (!file_) return;
  if (content == Content::kPredictions) mark_as_predictions(file_->descriptor());
  file_->commit();
  unfinished = nullptr;
}

void Output::fail(const char* action) const {
  if (errno == EPIPE) throw ClosedPipe();
  throw Error(fmt::format("{}: cannot {}: {}; choose another place",
                          path_.empty() ? "standard output" : path_, action, std::strerror(errno)));
}

}  // namespace cane::cli

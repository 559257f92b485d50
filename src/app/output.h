// Output of results: to standard output, or to a file that gets its name only once it is complete.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "core/file/atomic_file.h"

namespace cane::cli {

/// Thrown when the reader of standard output has closed it; the program ends quietly.
struct ClosedPipe {};

class Output {
 public:
  /// An empty path is standard output. Throws Error, as all members do, if it cannot be written.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// Flushes what was written to the reader.
  void flush();
  enum class Content { kOther, kPredictions };
  /// Call it last; otherwise no file is left behind. A file of predictions is marked, so that the
  /// next ones may replace it.
  void finish(Content content = Content::kOther);

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  std::FILE* stream_ = nullptr;     // standard output, a device or a FIFO
  std::optional<AtomicFile> file_;  // otherwise
  std::string buffer_;              // not yet written to `file_`
};

}  // namespace cane::cli

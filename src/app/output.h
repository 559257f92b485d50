// Output of results: to standard output, or to a file that gets its name only once it is complete.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

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
  /// Call it last; otherwise no file is left behind.
  void finish();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  std::string temporary_path_;  // empty: written in place
  std::FILE* file_ = nullptr;
};

}  // namespace cane::cli

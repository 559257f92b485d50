// Where results go: standard output, or a file that has its name only once it is whole.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace cane::cli {

/// Whoever reads standard output has closed it; the program ends quietly.
struct ClosedPipe {};

class Output {
 public:
  /// An empty path: standard output. Throws Error, as all members do, if it cannot be written.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// What was written reaches the reader now.
  void flush();
  /// Call it last. Without it, no file is left behind.
  void finish();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  std::string temporary_path_;  // empty: written in place
  std::FILE* file_ = nullptr;
};

}  // namespace cane::cli

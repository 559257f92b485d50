// Writes a file so that its name holds either what was there before or all of the new content: to a
// temporary file beside it, synced, then renamed. Dropped before commit(), it leaves nothing
// behind.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cane {

class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Both throw Error (a full disk, say); the old content of `path` is then untouched.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  std::string temporary_path_;
  int descriptor_ = -1;
};

}  // namespace cane

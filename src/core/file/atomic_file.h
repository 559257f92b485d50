// Writes a file so that its name holds either what was there before or all of the new content: to a
// temporary file next to it, synced, then renamed. Dropped before commit(), it leaves nothing
// behind.
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// All throw Error (a full disk, say); the old content of `path` is then untouched.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// At this place, wherever write() goes on; what is between and never written reads as zeros.
  /// Thread-safe for separate places.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Cuts the file, or fills it up with zeros.
  void set_size(std::uint64_t bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  std::string temporary_path_;
  int descriptor_ = -1;
};

}  // namespace cane

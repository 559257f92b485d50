// Replaces a file atomically: its name refers to either the old content or all of the new content.
// The new content is written to a temporary file next to it, synced and renamed. Destroying the
// object before commit() leaves nothing behind, and what a killed process left is removed by the
// next writer of the same name. A link is followed and stays; the permissions of a file stay, too.
// Devices and FIFOs are written in place.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/file/output_target.h"

namespace cane {

class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  /// A file that nobody asked for, a cache: what has its name, a link too, is replaced and never
  /// written to. It gets exactly this mode.
  AtomicFile(const std::string& path, mode_t mode);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// All throw Error (on a full disk, for example); the old content of `path` is then unchanged.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Writes at this offset, independently of the position of write(); gaps read as zeros.
  /// Thread-safe for disjoint ranges. A FIFO has no offsets: an Error says so.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Truncates the file or extends it with zeros.
  void set_size(std::uint64_t bytes);
  void commit();

  const std::string& path() const { return path_; }
  /// The file that holds the content until commit(), open; a name only where nothing is written in
  /// place.
  const std::string& temporary_path() const { return temporary_path_; }
  int descriptor() const { return descriptor_; }

 private:
  void create_temporary_file(mode_t mode);
  void sync_folder() const;
  [[noreturn]] void fail(const char* action) const;

  std::string path_;  // as the user wrote it
  OutputTarget target_;
  std::string temporary_path_;
  int descriptor_ = -1;
};

/// Throws the Error that errno tells of a file whose new content cannot be written.
[[noreturn]] void fail_to_write(const std::string& path, const char* action);

/// False if the system refuses, which says why in errno. Thread-safe for disjoint ranges.
bool write_range(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes);

}  // namespace cane

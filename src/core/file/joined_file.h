// The new content of a file when several processes write it, maybe on several machines: one of them
// has the AtomicFile, gives it its size, and commits it in the end; all write into it by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/file/atomic_file.h"

namespace cane {

/// What the others must know of the file.
struct FileToJoin {
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;  // of the file in its file system
  std::string path;
};

/// `path`: what the file is called once it is committed.
FileToJoin file_to_join(const std::string& path, const AtomicFile& file);

/// A file that was joined, open for writing. All members throw Error.
class JoinedFile {
 public:
  /// Nothing is written to another file that only has the same name on this machine.
  JoinedFile(std::string path, const FileToJoin& file);
  ~JoinedFile();
  JoinedFile(const JoinedFile&) = delete;
  JoinedFile& operator=(const JoinedFile&) = delete;

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Returns when the disk has what was written.
  void sync();

 private:
  void check_is(const FileToJoin& file) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace cane

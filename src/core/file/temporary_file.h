// The temporary files NAME.tmp.PID, or NAME.tmp.PID-NUMBER for the later ones of a process, that
// new content is written to before it gets its name. A writer holds a lock (flock) on its temporary
// file for as long as it runs; the system releases it however the process ends. So a temporary file
// whose lock can be taken is abandoned, also if its number is in use: process numbers mean nothing
// to another host or container, and are used again. On a file system without locks nothing is ever
// taken for abandoned.
#pragma once

#include <cstddef>
#include <string>

namespace cane {

/// A new temporary file next to `target`, open for writing and locked.
struct TemporaryFile {
  std::string path;
  int descriptor = -1;  // negative: it could not be created, see errno
};
TemporaryFile create_temporary(const std::string& target);

/// Whether a file of this name, without its folder, is a temporary file of some target.
bool is_temporary_name(const std::string& name);
/// Removes the file unless a writer holds its lock. Returns whether it did.
bool remove_if_abandoned(const std::string& path);
/// Removes the abandoned temporary files of a target. Returns their number.
std::size_t remove_abandoned(const std::string& target);

}  // namespace cane

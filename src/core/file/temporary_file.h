// The temporary files NAME.tmp.PID, or NAME.tmp.PID-NUMBER for the later ones of a process, that
// new content is written to before it gets its name. Each carries a mark, an extended attribute
// with its own name and inode: a file that a user has given such a name, moved or copied has no
// mark that fits. A writer holds a lock (flock) on its temporary file for as long as it runs; the
// system releases it however the process ends. So a file whose mark fits and whose lock can be
// taken is abandoned, also if its number is in use: process numbers mean nothing to another host or
// container, and are used again. On a file system without locks or without extended attributes
// nothing is ever taken for abandoned.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace cane {

/// More than any temporary file adds to the name of its target.
inline constexpr std::size_t kTemporaryEnding = 24;

/// A new temporary file next to `target`, open for writing, marked and locked.
struct TemporaryFile {
  std::string path;
  int descriptor = -1;  // negative: it could not be created, see errno
};
TemporaryFile create_temporary(const std::string& target, mode_t mode = 0666);

/// Takes the mark from a file that has got the name of its target.
void unmark_temporary(int descriptor);

/// Whether the mark of the file fits it: one of the programs has made it, and nobody has moved it
/// since.
bool is_temporary(const std::string& path);
/// Removes a temporary file unless a writer holds its lock. Returns whether it did.
bool remove_if_abandoned(const std::string& path);
/// Removes the abandoned temporary files of a target. Returns their number.
std::size_t remove_abandoned(const std::string& target);

}  // namespace cane

#include "core/file/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace cane {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInfix = ".tmp.";

// Whether the path still leads to the open file: someone may have removed it before it was locked.
bool is_still_named(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

constexpr const char* kTemporaryMark = "user.cane.temporary";

// What the mark of this file must be; empty if the system does not say.
std::string mark_of(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return fmt::format("{} {}", status.st_ino, fs::path(path).filename().string());
}

bool has_mark(int descriptor, const std::string& path) {
  std::array<char, 512> mark;
  const ssize_t size = ::fgetxattr(descriptor, kTemporaryMark, mark.data(), mark.size());
  return size > 0 &&
         std::string_view(mark.data(), static_cast<std::size_t>(size)) == mark_of(descriptor, path);
}

// Runs `action` on an open descriptor if the file is a temporary one.
template <typename Action>
bool with_temporary(const std::string& path, int access, const Action& action) {
  // Opening a pipe, even for a moment, breaks it for the one who writes to it.
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const int descriptor = ::open(path.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool result = has_mark(descriptor, path) && action(descriptor);
  ::close(descriptor);
  return result;
}

void set_mark(int descriptor, const std::string& path) {
  const std::string mark = mark_of(descriptor, path);
  ::fsetxattr(descriptor, kTemporaryMark, mark.data(), mark.size(), 0);
}

void lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
}

// Names the file once it is locked and marked, so that no end of the process leaves one that
// nobody would take for abandoned. Negative where that cannot be done, or the name is taken.
int create_marked(const std::string& path, mode_t mode) {
  const fs::path parent = fs::path(path).parent_path();
  const int descriptor =
      ::open(parent.empty() ? "." : parent.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor < 0) return -1;
  lock(descriptor);
  set_mark(descriptor, path);
  const std::string unnamed = fmt::format("/proc/self/fd/{}", descriptor);
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return descriptor;
  }
  ::close(descriptor);
  return -1;
}

}  // namespace

TemporaryFile create_temporary(const std::string& target, mode_t mode) {
  // A process does not use a name twice: another machine that shares the folder may remember for a
  // while to which file the name led. Another container may have a process of this number.
  static std::atomic<std::uint32_t> names_used = 0;
  constexpr int kMaxTries = 1000;
  const std::string first = fmt::format("{}{}{}", target, kInfix, ::getpid());
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const std::uint32_t number = names_used++;
    const std::string path = number == 0 ? first : fmt::format("{}-{}", first, number);
    const int marked = create_marked(path, mode);
    if (marked >= 0) return {path, marked};
    // Not every file system makes files without a name.
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) {
      if (errno != EEXIST) return {path, -1};
      continue;
    }
    // Waits for one who looks whether the file is abandoned, and may be about to remove it.
    lock(descriptor);
    if (is_still_named(descriptor, path)) {
      set_mark(descriptor, path);
      return {path, descriptor};
    }
    ::close(descriptor);
  }
  errno = EEXIST;
  return {first, -1};
}

void unmark_temporary(int descriptor) {
  ::fremovexattr(descriptor, kTemporaryMark);
}

bool is_temporary(const std::string& path) {
  return with_temporary(path, O_RDONLY, [](int) { return true; });
}

bool remove_if_abandoned(const std::string& path) {
  // Some file systems lock only what may be written to.
  return with_temporary(path, O_WRONLY, [&](int descriptor) {
    return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_still_named(descriptor, path) &&
           ::unlink(path.c_str()) == 0;
  });
}

std::size_t remove_abandoned(const std::string& target) {
  const fs::path path(target);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string prefix = path.filename().string() + std::string(kInfix);
  std::size_t removed = 0;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && remove_if_abandoned(entry->path().string())) ++removed;
  }
  return removed;
}

}  // namespace cane

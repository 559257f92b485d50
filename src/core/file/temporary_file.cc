#include "core/file/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

// Whether `text` is a number, or two with a dash between them.
bool is_writer_number(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() &&
           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  };
  return is_number(text.substr(0, dash)) &&
         (dash == text.size() || is_number(text.substr(dash + 1)));
}

}  // namespace

TemporaryFile create_temporary(const std::string& target) {
  // A process does not use a name twice: another machine that shares the folder may remember for a
  // while to which file the name led. Another container may have a process of this number.
  static std::atomic<std::uint32_t> names_used = 0;
  constexpr int kMaxTries = 1000;
  const std::string first = fmt::format("{}{}{}", target, kInfix, ::getpid());
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const std::uint32_t number = names_used++;
    const std::string path = number == 0 ? first : fmt::format("{}-{}", first, number);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno != EEXIST) return {path, -1};
      continue;
    }
    // Waits for one who looks whether the file is abandoned, and may be about to remove it.
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    if (is_still_named(descriptor, path)) return {path, descriptor};
    ::close(descriptor);
  }
  errno = EEXIST;
  return {first, -1};
}

bool is_temporary_name(const std::string& name) {
  const std::size_t infix = name.rfind(kInfix);
  return infix != std::string::npos && infix > 0 &&
         is_writer_number(std::string_view(name).substr(infix + kInfix.size()));
}

bool remove_if_abandoned(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat status {};
  const bool is_removed = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                          ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
                          is_still_named(descriptor, path) && ::unlink(path.c_str()) == 0;
  ::close(descriptor);
  return is_removed;
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
    if (!name.starts_with(prefix)) continue;
    if (!is_writer_number(std::string_view(name).substr(prefix.size()))) continue;
    if (remove_if_abandoned(entry->path().string())) ++removed;
  }
  return removed;
}

}  // namespace cane

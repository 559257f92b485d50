#include "core/file/output_target.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cane/error.h"

namespace cane {
namespace {

namespace fs = std::filesystem;

// Follows links whose target does not exist, too: writing creates it.
std::string follow_links(const std::string& path) {
  constexpr int kMaxLinks = 40;
  fs::path followed = path;
  std::error_code problem;
  for (int link = 0; link < kMaxLinks; ++link) {
    const fs::path next = fs::read_symlink(followed, problem);
    if (problem) return followed.string();
    followed = next.is_absolute() ? next : followed.parent_path() / next;
  }
  throw Error(fmt::format("{}: its links lead in a circle; remove them", path));
}

}  // namespace

OutputTarget output_target(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ELOOP) return {follow_links(path)};
    return {path};
  }
  if (S_ISREG(status.st_mode)) {
    if (::access(path.c_str(), W_OK) != 0) {
      throw Error(fmt::format("{}: cannot be written: {}; choose another name", path,
                              std::strerror(errno)));
    }
    std::error_code problem;
    const fs::path canonical = fs::canonical(path, problem);
    return {problem ? path : canonical.string(), false, true};
  }
  if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)) return {path, true, true};
  throw Error(fmt::format("{}: this is a {}; give the name of a file", path,
                          S_ISDIR(status.st_mode)   ? "folder"
                          : S_ISBLK(status.st_mode) ? "disk"
                                                    : "socket"));
}

void remove_output(const std::string& path) {
  std::error_code ignored;
  const fs::path target = fs::canonical(path, ignored);
  if (!ignored && fs::is_regular_file(target, ignored)) fs::remove(target, ignored);
}

}  // namespace cane

#include "core/file/folder_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cane/error.h"

namespace cane {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || name.starts_with('_') || !entry->is_regular_file(ignored))
      continue;
    files.push_back(entry->path().string());
  }
  if (problem) {
    throw Error(fmt::format("{}: cannot read the folder: {}", folder, problem.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool begins_with(const std::string& path, std::string_view bytes) {
  std::error_code ignored;
  if (path == "-" || !fs::is_regular_file(path, ignored)) return false;
  std::string start(bytes.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == bytes;
}

std::string last_name(const std::string& path) {
  const fs::path whole(path);
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace cane

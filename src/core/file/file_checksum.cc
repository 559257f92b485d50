#include "core/file/file_checksum.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/file/checksum.h"
#include "core/file/folder_files.h"

namespace cane {

std::string file_checksum(std::span<const std::string> paths) {
  Checksum sum;
  std::vector<char> bytes(std::size_t{1} << 20);
  for (const std::string& path : paths) {
    if (is_folder(path)) continue;
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) return {};
    std::ifstream file(path, std::ios::binary);
    while (file) {
      file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      sum.add(std::as_bytes(std::span(bytes).first(static_cast<std::size_t>(file.gcount()))));
    }
    if (!file.eof()) return {};
  }
  return sum.digits();
}

}  // namespace cane

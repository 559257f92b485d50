#include "core/file/file_checksum.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

namespace cane {

std::string file_checksum(std::span<const std::string> paths) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::vector<char> bytes(std::size_t{1} << 20);
  for (const std::string& path : paths) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) return {};
    std::ifstream file(path, std::ios::binary);
    while (file) {
      file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      XXH3_64bits_update(state.get(), bytes.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof()) return {};
  }
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

}  // namespace cane

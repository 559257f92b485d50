#include "cli/cane/paper/fingerprint.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cane/error.h"
#include "cane/version.h"

namespace cane::cli::paper {
namespace {

// FNV-1a: the strings are short or sampled, and the result only has to be the same everywhere.
std::uint64_t hash(std::string_view text, std::uint64_t before = 0xcbf29ce484222325ULL) {
  constexpr std::uint64_t kPrime = 0x100000001b3ULL;
  for (const char byte : text) {
    before = (before ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  return before;
}

}  // namespace

// Its size, and its first and last MiB: a file of a hundred gigabytes is not read for this.
std::string Fingerprints::of_file(const std::string& path) {
  if (const auto known = files_.find(path); known != files_.end()) return known->second;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: it cannot be read", path));
  constexpr std::uint64_t kPart = 1U << 20;
  const std::uint64_t size = std::filesystem::file_size(path);
  std::string part(std::min(size, kPart), '\0');
  file.read(part.data(), static_cast<std::streamsize>(part.size()));
  std::uint64_t found = hash(part, hash(fmt::format("{}", size)));
  file.seekg(static_cast<std::streamoff>(size - part.size()));
  file.read(part.data(), static_cast<std::streamsize>(part.size()));
  return files_[path] = fmt::format("{:016x}", hash(part, found));
}

std::string Fingerprints::of(const Run& run) {
  std::string text = version();
  for (const Arguments& command : run.commands) {
    for (auto argument = command.begin(); argument != command.end(); ++argument) {
      // A training that ended within a limit is the same without it.
      if (*argument == "--limit" && ++argument != command.end()) continue;
      std::string shown = *argument;
      for (const std::string& file : run.files) shown = filled_in(shown, file, of_file(file));
      text += '\n' + shown;
    }
  }
  for (const std::string& file : run.files) text += '\n' + of_file(file);
  return fmt::format("{:016x}", hash(text));
}

}  // namespace cane::cli::paper

// The state of XXH3 can be taken apart only where its functions are compiled from the same header.
#define XXH_INLINE_ALL
#include "core/file/checksum.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <type_traits>
#include <vector>

#include "core/file/folder_files.h"

namespace cane {

static_assert(std::is_trivially_copyable_v<Checksum>);

/// The state as the library wants it: the rest of it is the same for every checksum.
struct Checksum::Working {
  Working() { XXH3_64bits_reset(&state); }
  explicit Working(const Checksum& from) : Working() {
    static_assert(sizeof state.acc == sizeof sums_ && sizeof state.buffer == sizeof recent_);
    std::memcpy(state.acc, from.sums_.data(), sizeof state.acc);
    std::memcpy(state.buffer, from.recent_.data(), sizeof state.buffer);
    state.bufferedSize = static_cast<XXH32_hash_t>(from.pending_);
    state.nbStripesSoFar = from.stripes_;
    state.totalLen = from.total_;
  }
  void store(Checksum& to) const {
    std::memcpy(to.sums_.data(), state.acc, sizeof state.acc);
    std::memcpy(to.recent_.data(), state.buffer, sizeof state.buffer);
    to.pending_ = state.bufferedSize;
    to.stripes_ = state.nbStripesSoFar;
    to.total_ = state.totalLen;
  }

  XXH3_state_t state = {};
};

Checksum::Checksum() {
  Working().store(*this);
}

void Checksum::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  Working working(*this);
  XXH3_64bits_update(&working.state, bytes.data(), bytes.size());
  working.store(*this);
}

std::string Checksum::digits() const {
  const Working working(*this);
  return fmt::format("{:016x}", XXH3_64bits_digest(&working.state));
}

std::string checksum_of(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.digits();
}

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

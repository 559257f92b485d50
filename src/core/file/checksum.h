// XXH3 (64 bits) of bytes that come in parts. The object is plain bytes itself: another process of
// the same program may get them, and go on where this one stopped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cane {

class Checksum {
 public:
  /// Of no bytes.
  Checksum();

  void add(std::span<const std::byte> bytes);
  /// 16 hexadecimal digits, the same however the bytes were parted.
  std::string digits() const;

 private:
  struct Working;

  std::array<std::uint64_t, 8> sums_ = {};
  std::array<std::uint8_t, 256> recent_ =
      {};                      // bytes not yet in the sums, and the last before them
  std::uint64_t pending_ = 0;  // how many of them are not
  std::uint64_t stripes_ = 0;  // of the current block
  std::uint64_t total_ = 0;
};

/// Of bytes that are at hand.
std::string checksum_of(std::span<const std::byte> bytes);

/// XXH3 (64 bits) of the bytes of the files, one after the other, as 16 hexadecimal digits; for one
/// file it is what `xxhsum -H3` prints. Folders are passed over: their files are listed, too. Empty
/// if one cannot be read again: a pipe, say.
std::string file_checksum(std::span<const std::string> paths);

}  // namespace cane

#include "data/cache/cache_layout.h"

#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "core/file/mapped_file.h"

namespace cane {

std::uint64_t stripe_checksum(std::span<const std::byte> stripe) {
  return XXH3_64bits(stripe.data(), stripe.size());
}

std::uint64_t checksum_of_stripes(std::span<const std::uint64_t> checksums, std::uint64_t bytes) {
  return XXH3_64bits_withSeed(checksums.data(), checksums.size_bytes(), bytes);
}

std::uint64_t CacheHeader::computed_checksum() const {
  constexpr std::size_t kCovered = offsetof(CacheHeader, origin);
  return XXH3_64bits(reinterpret_cast<const std::byte*>(this) + kCovered,
                     sizeof(CacheHeader) - kCovered);
}

std::uint64_t section_checksum(std::span<const std::byte> bytes, ThreadPool& pool,
                               bool drops_pages) {
  constexpr std::size_t kStripe = CacheHeader::kStripe;
  std::vector<std::uint64_t> checksums((bytes.size() + kStripe - 1) / kStripe);
  pool.run(checksums.size(), [&](std::size_t stripe, int) {
    const std::size_t begin = stripe * kStripe;
    const auto content = bytes.subspan(begin, std::min(kStripe, bytes.size() - begin));
    checksums[stripe] = stripe_checksum(content);
    if (drops_pages) drop_pages(content);
  });
  return checksum_of_stripes(checksums, bytes.size());
}

}  // namespace cane

// The bytes of a cache file's header, shared by its reader and its writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/base/thread_pool.h"
#include "data/cache/cache_file.h"

namespace cane {

enum CacheSection : std::size_t {
  kOffsets,
  kIndices,
  kValues,
  kClasses,
  kWeights,
  kLabelLengths,
  kLabelBytes,
  kWordLengths,
  kWordBytes,
  kReportLengths,
  kReportBytes,
  kSectionCount
};

struct SectionEntry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

struct CacheHeader {
  static constexpr std::uint64_t kMagic = 0x6568'6361'635F'6E63;
  static constexpr std::uint64_t kVersion = 2;
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kStripe = std::size_t{1} << 22;

  std::uint64_t magic = kMagic;
  std::uint64_t version = kVersion;
  std::uint64_t checksum = 0;  // of the rest of the header
  CacheOrigin origin;
  std::uint64_t dense = 0;
  std::uint64_t dimension = 0;
  std::uint64_t feature_kind = 0;
  std::uint64_t hash_bits = 0;
  std::uint64_t word_ngrams = 0;
  std::uint64_t shortest_char_ngram = 0;
  std::uint64_t longest_char_ngram = 0;
  std::uint64_t ngram_bits = 0;
  std::uint64_t normalize = 0;
  std::uint64_t skipped_lines = 0;
  std::uint64_t unseen_labels = 0;
  std::uint64_t ignored_features = 0;
  SectionEntry sections[kSectionCount];

  std::uint64_t computed_checksum() const;
};
static_assert(std::is_trivially_copyable_v<CacheHeader>);
static_assert(std::has_unique_object_representations_v<CacheHeader>, "no padding to write");

inline std::uint64_t aligned(std::uint64_t offset) {
  return (offset + CacheHeader::kAlignment - 1) / CacheHeader::kAlignment * CacheHeader::kAlignment;
}

std::uint64_t stripe_checksum(std::span<const std::byte> stripe);
/// Of a section of this many bytes, from the checksums of its stripes.
std::uint64_t checksum_of_stripes(std::span<const std::uint64_t> checksums, std::uint64_t bytes);
/// Both together, stripes in parallel: the same for any number of threads.
/// `lets_go`: the bytes are mapped from a file, and their pages may go once they are summed up.
std::uint64_t parallel_checksum(std::span<const std::byte> bytes, ThreadPool& pool,
                                bool lets_go = false);

}  // namespace cane

#include "step/class_shards.h"

#include <algorithm>
#include <bit>

namespace cane {
namespace {

constexpr std::uint32_t kFewestShards = 8;
// More than the ranks of any machine that there is.
constexpr std::uint32_t kMostShards = 1U << 16;

}  // namespace

std::uint32_t ClassShards::count_for(int ranks) {
  return std::bit_ceil(std::max(kFewestShards, static_cast<std::uint32_t>(ranks)));
}

bool ClassShards::is_count(std::uint32_t shards) {
  return std::has_single_bit(shards) && shards >= kFewestShards && shards <= kMostShards;
}

std::uint32_t ClassShards::size(std::uint32_t shard) const {
  const std::uint32_t blocks = classes_ / kBlock;  // the whole ones
  std::uint32_t own = (blocks / shards_ + (shard < blocks % shards_ ? 1 : 0)) * kBlock;
  if (shard == blocks % shards_) own += classes_ % kBlock;
  return own;
}

OwnShards shards_of_rank(std::uint32_t shards, int rank, int ranks) {
  const auto count = static_cast<std::uint64_t>(ranks);
  const auto first = [&](std::uint64_t r) {
    return static_cast<std::uint32_t>((r * shards + count - 1) / count);
  };
  const auto r = static_cast<std::uint64_t>(rank);
  return {first(r), first(r + 1)};
}

ClassPart::ClassPart(const ClassShards& shards, OwnShards own)
    : shards_(shards), own_(own), first_rows_(1, 0) {
  for (std::uint32_t shard = own.begin; shard < own.end; ++shard) {
    first_rows_.push_back(first_rows_.back() + shards.size(shard));
  }
}

}  // namespace cane

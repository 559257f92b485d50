#include "train/classes/shard_sums.h"

#include <bit>

namespace cane {

std::vector<ShardSums::Subtree> ShardSums::largest(OwnShards own) {
  std::vector<Subtree> subtrees;
  while (own.begin < own.end) {
    std::uint32_t size = own.begin == 0 ? std::bit_floor(own.end) : own.begin & (~own.begin + 1);
    while (size > own.count()) size /= 2;
    subtrees.push_back({own.begin, size});
    own.begin += size;
  }
  return subtrees;
}

void ShardSums::add_up(Communicator& ranks, std::size_t count, std::span<float> values,
                       std::vector<float>& sum) {
  const auto add = [count](const float* from, float* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
  };
  std::vector<float> sums;
  for (const auto& [begin, size] : largest(own_)) {
    float* first = values.data() + (begin - own_.begin) * count;
    for (std::uint32_t half = 1; half < size; half *= 2) {
      for (std::uint32_t shard = 0; shard < size; shard += 2 * half) {
        add(first + (shard + half) * count, first + shard * count);
      }
    }
    sums.insert(sums.end(), first, first + count);
  }
  received_ = ranks.all_gather_values(std::span<const float>(sums));
  by_shard_.assign(shards_, nullptr);
  sizes_.assign(shards_, 0);
  std::size_t next = 0;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    for (const auto& [begin, size] : largest(shards_of_rank(shards_, rank, ranks.ranks()))) {
      by_shard_[begin] = received_.data() + next;
      sizes_[begin] = size;
      next += count;
    }
  }
  if (next != received_.size()) throw_misunderstood();
  const float* all = joined({0, shards_}, count);
  sum.assign(all, all + count);
}

float* ShardSums::joined(const Subtree& subtree, std::size_t count) {
  float* first = by_shard_[subtree.begin];
  if (sizes_[subtree.begin] == subtree.size) return first;
  const std::uint32_t half = subtree.size / 2;
  float* left = joined({subtree.begin, half}, count);
  const float* right = joined({subtree.begin + half, half}, count);
  for (std::size_t i = 0; i < count; ++i) left[i] += right[i];
  return left;
}

}  // namespace cane

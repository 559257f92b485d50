// Sums over shards, by a binary tree over all of them. A rank adds up the largest subtrees that are
// all its own, and sends their sums; each then adds up the rest of the tree. So the bits are the
// same however the shards are shared out, and of each rank one sum travels, or a few where the
// number of ranks is no power of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel/communicator.h"
#include "train/classes/class_shards.h"

namespace cane {

class ShardSums {
 public:
  ShardSums(std::uint32_t shards, OwnShards own) : shards_(shards), own_(own) {}

  /// `values` has `count` values for each own shard, and is destroyed; `sum` becomes the sum over
  /// all shards. All ranks call it.
  void add_up(Communicator& ranks, std::size_t count, std::span<float> values,
              std::vector<float>& sum);

 private:
  /// The shards [begin, begin + size), size being a power of two that begin is a multiple of.
  struct Subtree {
    std::uint32_t begin;
    std::uint32_t size;
  };
  /// The largest subtrees of these shards.
  static std::vector<Subtree> largest(OwnShards own);
  /// The sum over a subtree of the received sums, which is left in the first of them.
  float* joined(const Subtree& subtree, std::size_t count);

  std::uint32_t shards_;
  OwnShards own_;
  std::vector<float> received_;
  std::vector<float*> by_shard_;      // the received sum of the subtree that begins there; or null
  std::vector<std::uint32_t> sizes_;  // of that subtree
};

}  // namespace cane

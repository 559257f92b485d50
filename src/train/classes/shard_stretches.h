// Where the table of a shard lies in that of the whole model: a stretch for each block of classes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "linear/weights/block_layout.h"
#include "train/classes/class_shards.h"

namespace cane {

/// Calls visit(own, whole, count) for every stretch of `count` floats, which begins at `own` in the
/// table of the shard and at `whole` in that of the model. `layout` is that of the shard; each of
/// its blocks has `floats`: its pitch for weights, fewer for what an optimiser knows.
template <typename Visit>
void for_each_stretch(const ClassShards& shards, std::uint32_t shard, const BlockLayout& layout,
                      std::size_t floats, const Visit& visit) {
  const std::size_t blocks = ClassShards::kBlock / layout.widest_stride();
  for (std::size_t first = 0; first < layout.node_bound(); first += blocks) {
    const std::size_t count = std::min<std::size_t>(blocks, layout.node_bound() - first);
    visit(first * floats, (first * shards.count() + shard * blocks) * floats, count * floats);
  }
}

}  // namespace cane

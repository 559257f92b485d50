// Which shard a class belongs to, where ranks train classes that no one of them could hold. Classes
// go round in blocks: block b belongs to shard b mod S. A shard is what is computed by itself, so
// results depend on the number of shards, and not on how many ranks or threads compute them. A rank
// owns consecutive shards.
#pragma once

#include <cstdint>

#include "core/base/types.h"

namespace cane {

class ClassShards {
 public:
  /// Classes of a block: as many as the widest block of a table has, so that a block of classes is
  /// whole blocks of every table.
  static constexpr std::uint32_t kBlock = 64;

  /// The number of shards of a training that begins on this many ranks: a power of two, and enough
  /// for fewer ranks, or more of them, to take it up.
  static std::uint32_t count_for(int ranks);
  /// Whether a training can have this many.
  static bool is_count(std::uint32_t shards);

  ClassShards(std::uint32_t classes, std::uint32_t shards) : classes_(classes), shards_(shards) {}

  std::uint32_t count() const { return shards_; }
  std::uint32_t classes() const { return classes_; }

  std::uint32_t shard_of(ClassId class_id) const { return class_id / kBlock % shards_; }
  /// The number of a class in its shard; classes keep their order there.
  ClassId local(ClassId class_id) const {
    return class_id / kBlock / shards_ * kBlock + class_id % kBlock;
  }
  ClassId global(std::uint32_t shard, ClassId local) const {
    return (local / kBlock * shards_ + shard) * kBlock + local % kBlock;
  }
  /// The number of classes of a shard; some have none if there are few classes.
  std::uint32_t size(std::uint32_t shard) const;

 private:
  std::uint32_t classes_;
  std::uint32_t shards_;
};

/// The shards of a rank, [begin, end).
struct OwnShards {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::uint32_t count() const { return end - begin; }
  bool has(std::uint32_t shard) const { return shard >= begin && shard < end; }
};

/// There must be at least as many shards as ranks.
OwnShards shards_of_rank(std::uint32_t shards, int rank, int ranks);

}  // namespace cane

// Which shard a class belongs to, where ranks train classes that no one of them could hold. Classes
// go round in blocks: block b belongs to shard b mod S. A shard is what is computed by itself, so
// results depend on the number of shards, and not on how many ranks or threads compute them. A rank
// owns consecutive shards.
#pragma once

#include <cstdint>
#include <vector>

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

/// The classes of a rank as the rows of its table: those of its first shard, then those of the
/// next one.
class ClassPart {
 public:
  /// All classes, in one shard: the row of a class is its number.
  explicit ClassPart(std::uint32_t classes) : ClassPart({classes, 1}, {0, 1}) {}
  ClassPart(const ClassShards& shards, OwnShards own);

  const ClassShards& shards() const { return shards_; }
  OwnShards own() const { return own_; }
  std::uint32_t rows() const { return first_rows_.back(); }
  /// Of the i-th own shard; that of own().count() is the number of rows.
  std::uint32_t first_row(std::uint32_t i) const { return first_rows_[i]; }
  bool has(ClassId class_id) const { return own_.has(shards_.shard_of(class_id)); }
  /// Which of the own shards has the class.
  std::uint32_t index_of(ClassId class_id) const { return shards_.shard_of(class_id) - own_.begin; }
  /// Of a class that is here.
  std::uint32_t row(ClassId class_id) const {
    return first_rows_[index_of(class_id)] + shards_.local(class_id);
  }

 private:
  ClassShards shards_;
  OwnShards own_;
  std::vector<std::uint32_t> first_rows_;
};

}  // namespace cane

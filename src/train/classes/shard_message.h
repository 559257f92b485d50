// What the ranks send each other about a batch. The messages of all ranks, one after the other, are
// those of all shards in their order, so it does not matter who sent them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/parallel/communicator.h"

namespace cane {

/// A class that a shard knows about for an example: its score, and its mass, which is what the
/// proposal gives it, relative to the class of the shard that it likes best.
struct ListedClass {
  ClassId class_id;
  float score;
  float mass;
};

/// What a shard reports about an example before its list, which is best first.
struct ShardHead {
  float base = 0.0F;         // score that the proposal gives to the class it likes best
  float label_score = 0.0F;  // these two if the label belongs to the shard
  float label_mass = 0.0F;
  std::uint32_t listed = 0;
  double rest = 0.0;  // mass of the classes that are not listed
};

/// What all shards say about the examples of a batch.
class ShardReports {
 public:
  /// Gathers the reports of the own shards of every rank: heads[s * examples + e], and the lists in
  /// that order. Returns whether a rank wants to stop after this batch.
  bool gather(Communicator& ranks, std::uint32_t shards, std::size_t examples, bool wants_stop,
              std::span<const ShardHead> heads, std::span<const ListedClass> listed);

  std::uint32_t shards() const { return shards_; }
  const ShardHead& head(std::uint32_t shard, std::size_t example) const {
    return heads_[shard * examples_ + example];
  }
  std::span<const ListedClass> list(std::uint32_t shard, std::size_t example) const {
    const std::size_t place = shard * examples_ + example;
    return std::span(listed_).subspan(starts_[place], heads_[place].listed);
  }

 private:
  std::uint32_t shards_ = 0;
  std::size_t examples_ = 0;
  std::vector<ShardHead> heads_;
  std::vector<std::size_t> starts_;
  std::vector<ListedClass> listed_;
};

}  // namespace cane

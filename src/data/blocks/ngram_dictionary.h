// The n-grams that are features, by their 64-bit hashes. An n-gram is a feature if the training
// data has it often enough: those that come once tell nothing and are most of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/blocks/parsed_block.h"

namespace cane {

/// Counts the n-grams of a text. When there are more than memory should hold, those seen least so
/// far are forgotten: what remains depends on the text alone, not on the threads.
class NgramCounts {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 24;
  explicit NgramCounts(std::size_t most = kMost) : most_of_shard_(most / kShards) {}

  /// Adds the n-grams of the next blocks of the text.
  void add(std::span<const ParsedBlock> blocks, ThreadPool& pool);
  /// Replaces the counts of this rank by those of all ranks, for the part of the hashes that is
  /// this rank's: parts of lower ranks hold lower hashes. All ranks call it.
  void exchange(Communicator& ranks);
  /// The hashes of those that were counted at least `min_count` times, in order.
  std::vector<std::uint64_t> frequent(std::uint32_t min_count, ThreadPool& pool) const;

 private:
  static constexpr unsigned kShardBits = 4;
  static constexpr std::size_t kShards = std::size_t{1} << kShardBits;

  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;  // 0: empty
  };
  // The hashes with the same first bits, so that threads share none.
  struct Shard {
    std::vector<Entry> slots;  // a power of two, at most half of them taken
    std::size_t size = 0;
    std::uint64_t least = 1;  // what is forgotten next has a lower count

    void add(std::uint64_t hash, std::uint64_t count);
    void rebuild(std::size_t slots_now, std::uint64_t min_count);
    void forget(std::size_t most);
  };

  std::size_t most_of_shard_;
  std::array<Shard, kShards> shards_;
};

/// From a hash to its place in a list that is in order. Const and thread-safe.
class NgramDictionary {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  NgramDictionary() = default;
  /// The hashes must outlive the object.
  explicit NgramDictionary(std::span<const std::uint64_t> hashes);

  std::uint32_t find(std::uint64_t hash) const;

 private:
  std::span<const std::uint64_t> hashes_;
  unsigned shift_ = 0;
  std::vector<std::uint32_t> starts_;  // first bits of a hash -> where such hashes begin
};

}  // namespace cane

// What ranks that share the classes tell each other about a batch: sums over the shards, for which
// it does not matter which rank has which shards.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel/communicator.h"
#include "core/simd/softmax_columns.h"
#include "step/class_shards.h"

namespace cane {

/// About the scores: for each example and shard a maximum and two sums, those of the entries, the
/// score of the label, and whether a rank wants to stop. Every rank gets the same, in the order of
/// the shards.
class RankSums {
 public:
  /// `examples`: of a batch, rounded up. The ranks must outlive the object.
  RankSums(const ClassPart& part, Communicator& ranks, std::size_t examples);

  /// To be filled in: of the i-th own shard, and after the last one of the entries. A label that is
  /// elsewhere has the score 0.
  ColumnSums own(std::size_t i) { return at(message_.data(), i); }
  /// `sums` has nothing to count.
  void set_empty(const ColumnSums& sums) const;

  /// Exchanges them; `label_scores` become those of all ranks. Returns whether any rank wants to
  /// stop. All ranks call it.
  bool exchange(std::span<float> label_scores, bool wants_stop);
  /// Of all shards, and with `entries` of these, too. Valid until the next exchange.
  std::span<const ColumnSums> all(bool entries) const {
    return std::span(all_).first(entries ? all_.size() : shards_);
  }

 private:
  ColumnSums at(float* message, std::size_t i) const {
    float* const first = message + 3 * i * examples_;
    return {first, first + examples_, first + 2 * examples_};
  }
  std::size_t size_of(std::size_t shards) const { return (3 * shards + 4) * examples_ + 1; }

  Communicator& ranks_;
  std::size_t examples_;
  std::uint32_t shards_;
  std::uint32_t own_;
  std::vector<float> message_;
  std::vector<float> messages_;
  std::vector<ColumnSums> all_;
};

/// The sum over all shards, by a binary tree over them: `values` has `count` values for each own
/// shard, and is destroyed. Where the number of ranks is a power of two, one sum of each travels.
/// All ranks call it.
std::vector<float> add_up_shards(const ClassPart& part, Communicator& ranks, std::size_t count,
                                 std::span<float> values);

}  // namespace cane

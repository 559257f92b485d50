// Learns one batch together with the other ranks: shortlists, the objective, and the updates. Each
// rank changes the classes of its own shards, and all of them change their copies of the common
// tables alike: what the shards contribute to the gradient in the rows is summed over all of
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/rows/dataset_view.h"
#include "linear/encoders/encoder.h"
#include "train/classes/shard_sums.h"
#include "train/classes/sharded_search.h"
#include "train/steps/encoded_rows.h"
#include "train/updater.h"

namespace cane {

/// Shared and read-only.
struct ClassStepParts {
  const DatasetView* data = nullptr;
  const ShardTables* tables = nullptr;
  const Encoder* encoder = nullptr;  // over the common tables; null: rows unchanged
  SearchRules rules;
  float l2 = 0.0F;  // weight decay of the classes
};

class ClassStep {
 public:
  /// All arguments, and what the parts point to, must outlive the object; the weights of the state
  /// must not move.
  ClassStep(const ClassStepParts& parts, ShardedState& state, ThreadPool& pool,
            Communicator& ranks);

  struct Learned {
    StepStats stats;
    bool stops = false;  // a rank wishes to
  };
  /// `random` is the generator of the epoch. All ranks call it with the same examples.
  Learned learn(std::span<const std::uint32_t> examples, float rate, const CounterRandom& random,
                bool wishes_to_stop);

 private:
  using Slice = ShardedSearch::Slice;
  /// The own part of a slice that the search does not have.
  struct SliceGradient {
    EncodedRows rows;
    GradientParts projection;
    std::vector<TableGradient> gradients = {};  // in the common tables
    std::size_t begin = 0;                      // of its steps, among those of a shard
    std::vector<std::uint32_t> places = {};     // of the examples, among those that have steps
    std::vector<float> has_steps = {};          // 1 or 0, for each example
    std::vector<float> row_steps = {};          // of all examples
  };

  static std::size_t num_to_learn(const Slice& slice) { return (slice.examples.size() + 3) / 4; }
  std::span<const RowView> rows_of(std::size_t slice, std::span<const std::uint32_t> examples,
                                   const CounterRandom& random);
  /// Lays out the steps of a shard, first those in projected rows, then those in rows, slice after
  /// slice; returns their number.
  std::size_t lay_out_steps();
  void differentiate_shards(std::size_t per_shard);
  void differentiate_common();
  void update(float rate);

  ClassStepParts parts_;
  ThreadPool& pool_;
  Communicator& ranks_;
  ShardedSearch search_;
  ShardSums sums_;
  FeatureId encoded_;        // floats of a row that the classes see, if there is an encoder; or 0
  std::size_t input_pitch_;  // floats of a projected row
  std::vector<SliceGradient> slices_;
  std::vector<ClassId> labels_;
  std::vector<float> own_steps_;  // for each own shard
  std::vector<float> steps_;      // their sum over all shards
  std::vector<Updater> shard_updaters_;
  Updater common_updater_;
};

}  // namespace cane

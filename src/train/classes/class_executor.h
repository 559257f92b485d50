// Computes batches together with the other ranks, each of which has the weights of its own classes
// only: shortlists, the objective, and the updates. Each rank changes the classes of its own
// shards, and all of them change their copies of the common tables alike: what the shards
// contribute to the gradient in the rows is summed over all of them. Always synchronous: results
// are the same bits for any number of ranks and threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/rows/dataset_view.h"
#include "linear/encoders/encoder.h"
#include "step/encoded_rows.h"
#include "train/classes/shard_sums.h"
#include "train/classes/sharded_search.h"
#include "train/executors/updater.h"
#include "train/trainer.h"

namespace cane {

/// Shared and read-only.
struct ClassParts {
  const DatasetView* data = nullptr;
  const ShardTables* tables = nullptr;
  const Encoder* encoder = nullptr;  // over the common tables; null: rows unchanged
  SearchRules rules;
  float l2 = 0.0F;  // weight decay of the classes
};

class ClassExecutor final : public Executor {
 public:
  /// All arguments, and what the parts point to, must outlive the object; the weights of the state
  /// must not move.
  ClassExecutor(const ClassParts& parts, TrainState& state, ThreadPool& pool, Communicator& ranks);

  void begin_epoch(Trainer& /*trainer*/) override { wants_stop_ = false; }
  /// After `go_on` has returned false on some rank, all of them learn one batch more, the same one,
  /// and stop.
  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;

 private:
  using Slice = ShardedSearch::Slice;
  /// The own part of a slice that the search does not have.
  struct SliceGradient {
    EncodedRows rows;
    GradientParts projection;
    std::vector<TableGradient> gradients = {};  // in all tables of this rank
    std::size_t begin = 0;                      // of its steps, among those of a shard
    std::vector<std::uint32_t> places = {};     // of the examples, among those that have steps
    std::vector<float> has_steps = {};          // 1 or 0, for each example
    std::vector<float> row_steps = {};          // of all examples
  };

  /// Returns whether any rank wants to stop after this batch.
  bool learn(Trainer& trainer, std::uint64_t batch, StepStats& totals);
  static std::size_t num_to_learn(const Slice& slice) { return (slice.examples.size() + 3) / 4; }
  std::span<const RowView> rows_of(std::size_t slice, std::span<const std::uint32_t> examples,
                                   const CounterRandom& random);
  /// Lays out the steps of a shard, first those in projected rows, then those in rows, slice after
  /// slice; returns their number.
  std::size_t lay_out_steps();
  void differentiate_shards(std::size_t per_shard);
  void differentiate_common();
  void update(Trainer& trainer, float rate);

  ClassParts parts_;
  Communicator& ranks_;
  ShardedSearch search_;
  ShardSums sums_;
  const BlockLayout& projection_;
  FeatureId encoded_;        // floats of a row that the classes see, if there is an encoder; or 0
  std::size_t input_pitch_;  // floats of a projected row
  std::vector<SliceGradient> slices_;
  std::vector<ClassId> labels_;
  std::vector<float> own_steps_;  // for each own shard
  std::vector<float> steps_;      // their sum over all shards
  Updater updater_;
  bool wants_stop_ = false;  // on this rank, after the last batch
};

}  // namespace cane

// The one training loop: batch after batch of an epoch, gradients at the weights as they are, then
// the update. Two ways to use several threads:
// - shared: every thread takes batches of its own and all update the same weights without locks;
// - deterministic: all threads work on one batch, first on slices of its examples, then on separate
//   nodes, each node's updates in the order of the examples: the bits do not depend on the threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/grouping.h"
#include "base/thread_pool.h"
#include "candidates/beam_search.h"
#include "cane/config.h"
#include "data/dataset_view.h"
#include "learn/block_optimizer.h"
#include "learn/gradient_slice.h"
#include "model/block_layout.h"
#include "tree/class_tree.h"

namespace cane {

/// Everything that changes while training runs, and all that a checkpoint must keep.
struct TrainState {
  AlignedBuffer<float> weights;
  std::unique_ptr<BlockOptimizer> optimizer;
  std::uint32_t epoch = 0;       // epochs done
  std::uint64_t next_batch = 0;  // of the epoch under way
  SliceTotals totals;            // of the epoch under way
};

TrainState make_train_state(const BlockLayout& layout, const TrainConfig& config);

/// Sets the weights of a fresh state to scaled class means; returns the scale.
float start_from_means(const DatasetView& data, const ClassTree& tree, const BlockLayout& layout,
                       const TrainConfig& config, TrainState& state, ThreadPool& pool);

class Trainer {
 public:
  /// All arguments must outlive the trainer; the state's weights must not move.
  Trainer(const DatasetView& data, const ClassTree& tree, const BlockLayout& layout,
          const TrainConfig& config, TrainState& state, ThreadPool& pool);
  ~Trainer();

  std::uint64_t batches_per_epoch() const;

  /// Runs the epoch under way to its end and returns true; returns false when `go_on`, which the
  /// calling thread asks after every batch of its own, said no. Throws Error when the loss
  /// explodes.
  bool run_epoch(const std::function<bool()>& go_on);

  /// The learning rate at the next batch.
  float current_rate() const;

 private:
  void run_shared(const std::function<bool()>& go_on);
  void run_deterministic(const std::function<bool()>& go_on);
  void update_own_batch(const GradientSlice& slice, float rate, int worker);
  void update_all(std::size_t slices, float rate);
  void apply(NodeId node, std::span<const UpdateTask> tasks, float rate,
             std::vector<float>& scratch);
  void decay(NodeId node, const UpdateTask& task, float rate, std::vector<float>& factors);
  std::span<const std::uint32_t> batch(std::uint64_t index) const;
  float rate_of(std::uint64_t batch) const;
  void check_loss() const;

  struct Worker {
    Grouping grouping;
    std::vector<UpdateTask> tasks;
    std::vector<float> scratch;
  };

  const ClassTree& tree_;
  const BlockLayout& layout_;
  const TrainConfig& config_;
  TrainState& state_;
  ThreadPool& pool_;
  PathScorer scorer_;
  BeamSearch selector_;
  std::unique_ptr<NoiseSampler> noise_;
  std::vector<std::uint32_t> order_;
  std::vector<GradientSlice> slices_;  // shared: one a worker; deterministic: one a part of a batch
  std::vector<Worker> workers_;
};

}  // namespace cane

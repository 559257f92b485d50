// Applies gradients to the weights, block by block, with the optimiser of each table and the decay
// of the class table. Two ways:
// - hogwild: a thread applies the gradients of its batch at once, without locks;
// - synchronous: all threads apply those of one batch together, each block's steps in the order of
//   the examples, so that the bits do not depend on the threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/grouping.h"
#include "core/base/thread_pool.h"
#include "train/train_state.h"

namespace cane {

class Updater {
 public:
  /// What a thread writes to.
  struct Scratch {
    Grouping grouping;
    std::vector<UpdateTask> tasks;
    std::vector<float> floats;
  };

  /// Tables and state must outlive this; the state's weights must not move. `l2`: how strongly the
  /// weights of the classes decay.
  Updater(const std::vector<ParameterTable>& tables, float l2, TrainState& state)
      : tables_(tables), l2_(l2), state_(state) {}

  /// Hogwild. None of the gradients is dense.
  void apply(std::span<const TableGradient> gradients, float rate, Scratch& scratch);

  /// Synchronous. `slices`: the gradients of consecutive examples of a batch, in the same tables.
  void apply(std::span<const std::span<const TableGradient>> slices, float rate, ThreadPool& pool);

 private:
  using Slices = std::span<const std::span<const TableGradient>>;

  void apply_blocks(Slices slices, std::size_t index, float rate, ThreadPool& pool);
  void apply_dense(Slices slices, std::size_t index, float rate, ThreadPool& pool);
  void apply_block(std::size_t table, NodeId node, float rate, Scratch& scratch);
  void decay(std::size_t table, NodeId node, const UpdateTask& task, float rate,
             std::vector<float>& factors);
  bool decays(std::size_t table) const { return l2_ > 0.0F && table == kClassTable; }
  float* weights(std::size_t table) { return state_.weights[table].data(); }
  const BlockLayout& layout(std::size_t table) const { return tables_[table].layout; }

  /// A part of a slice's gradient.
  struct SlicePart {
    std::uint32_t slice;
    std::uint32_t part;
    NodeId node;
  };

  const std::vector<ParameterTable>& tables_;
  float l2_;
  TrainState& state_;
  // Where the update is synchronous.
  std::vector<SlicePart> parts_;
  Grouping grouping_;
  std::vector<Scratch> scratch_;
};

}  // namespace cane

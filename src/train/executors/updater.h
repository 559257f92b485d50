// Applies gradients to the weights, block by block, with the optimiser of each table and the weight
// decay of the class table. There are two modes:
// - hogwild: a thread applies the gradients of its batch at once. If there are other threads, it
//   leaves most of the small steps out, since a cache line that is written must travel to all who
//   read it, and locks blocks, which many threads change at once, but not the rows of classes;
// - synchronous: all threads apply the gradients of one batch together, each block's steps in
//   example order, so results are bit-identical for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/grouping.h"
#include "core/base/spinning.h"
#include "core/base/thread_pool.h"
#include "train/parallel/weight_exchange.h"
#include "train/train_state.h"

namespace cane {

class Updater {
 public:
  /// Scratch memory of one thread.
  struct Scratch {
    Grouping grouping;
    std::vector<UpdateTask> tasks;
    std::vector<float> floats;
    std::vector<std::size_t> later;  // groups whose block another thread was changing
    std::uint64_t draws = 0x9E3779B97F4A7C15;
  };

  /// Tables and state must outlive the object; the state's weights must not move. `l2` is the
  /// weight decay of the classes.
  Updater(const std::vector<ParameterTable>& tables, float l2, TrainState& state)
      : tables_(tables), l2_(l2), state_(state) {}

  /// To be called if several threads will apply gradients.
  void share() { is_shared_ = true; }

  /// Every hogwild update is then marked there: array t of the exchange is the weights of table t,
  /// and array t + number of tables the state of its optimiser.
  void record(WeightExchange& exchange) { recorded_ = &exchange; }

  /// Hogwild update.
  void apply(std::span<const TableGradient> gradients, float rate, Scratch& scratch);

  /// Synchronous update. `slices` are the gradients of consecutive examples of a batch, in the same
  /// tables.
  void apply(std::span<const std::span<const TableGradient>> slices, float rate, ThreadPool& pool);

 private:
  using Slices = std::span<const std::span<const TableGradient>>;

  bool may_thin(const TableGradient& gradient) const;
  void mark(const TableGradient& gradient);
  void apply_groups(const TableGradient& gradient, float rate, Scratch& scratch);
  void apply_group(const TableGradient& gradient, std::size_t group, float rate, Scratch& scratch);
  void apply_blocks(Slices slices, std::size_t index, float rate, ThreadPool& pool);
  void apply_block(std::size_t table, NodeId node, float rate, Scratch& scratch);
  void decay(std::size_t table, NodeId node, const UpdateTask& task, float rate,
             std::vector<float>& factors);
  bool decays(std::size_t table) const {
    return l2_ > 0.0F && tables_[table].role == TableRole::kVectors;
  }
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
  bool is_shared_ = false;
  WeightExchange* recorded_ = nullptr;  // null: updates are not tracked
  SpinLocks locks_;
  // Used in synchronous updates.
  std::vector<SlicePart> parts_;
  Grouping grouping_;
  std::vector<Scratch> scratch_;
};

}  // namespace cane

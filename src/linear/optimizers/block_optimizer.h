// Applies steps to the weights of a node's children and owns the state this requires. Threads may
// call it concurrently without locks: they share the weights, and a lost update only adds noise.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/base/buffer.h"
#include "core/simd/block_kernels.h"
#include "linear/gradient/gradient_parts.h"
#include "linear/weights/block_layout.h"

namespace cane {

class BlockOptimizer {
 public:
  virtual ~BlockOptimizer() = default;

  /// Applies the tasks in order to the weights of a node's children.
  virtual void apply(float* weights, const BlockLayout& layout, NodeId node, float rate,
                     std::span<const UpdateTask> tasks, std::vector<float>& scratch) = 0;

  /// The same for individual parts, in order, on a table with one row per class: the examples of a
  /// batch rarely share classes, so grouping would not pay.
  virtual void apply_rows(float* weights, const BlockLayout& layout, float rate,
                          const GradientParts& parts, std::span<const RowView> rows,
                          std::vector<float>& scratch);

  /// One step on the row of a class, in a table with one row per class: minus the gradient in its
  /// weights and its bias, summed over all examples of a batch.
  virtual void apply_sum(float* weights, const BlockLayout& layout, ClassId row, float rate,
                         std::span<const float> step, std::vector<float>& scratch) = 0;

  /// State that must be saved to continue training: a float for each feature and the bias of every
  /// block, block after block; empty for an optimiser without state.
  virtual std::span<float> state() { return {}; }
};

std::unique_ptr<BlockOptimizer> make_optimizer(OptimizerKind kind, const BlockLayout& layout);

/// The bytes of state that make_optimizer would allocate.
std::size_t optimizer_bytes(OptimizerKind kind, const BlockLayout& layout);

}  // namespace cane

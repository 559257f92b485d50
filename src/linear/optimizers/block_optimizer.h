// Applies steps to the weights of a node's children, and owns whatever state that takes. Threads
// may call it at once without locks: they share the weights, and a lost update is only noise.
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

  /// Applies the tasks one after the other to the weights of a node's children.
  virtual void apply(float* weights, const BlockLayout& layout, NodeId node, float rate,
                     std::span<const UpdateTask> tasks, std::vector<float>& scratch) = 0;

  /// The same for parts one by one, in their order, on a table with a row for every class: classes
  /// of an example seldom meet again in a batch, so that grouping them would not pay.
  virtual void apply_rows(float* weights, const BlockLayout& layout, float rate,
                          const GradientParts& parts, std::span<const RowView> rows,
                          std::vector<float>& scratch);

  /// What must be kept to go on later; empty for an optimiser without state.
  virtual std::span<float> state() { return {}; }
};

std::unique_ptr<BlockOptimizer> make_optimizer(OptimizerKind kind, const BlockLayout& layout);

/// The bytes of state that make_optimizer would allocate.
std::size_t optimizer_bytes(OptimizerKind kind, const BlockLayout& layout);

}  // namespace cane

#include "learn/block_optimizer.h"

#include <numeric>

namespace cane {
namespace {

std::size_t row_count(const BlockLayout& layout) {
  return std::size_t{layout.node_bound()} * (std::size_t{layout.dimension()} + 1);
}

class Sgd final : public BlockOptimizer {
 public:
  void apply(float* weights, const BlockLayout& layout, NodeId node, float rate,
             std::span<const UpdateTask> tasks, std::vector<float>& /*scratch*/) override {
    update_block(weights + layout.offset(node), layout.shape(node), rate, tasks);
  }
};

// One accumulator for a feature and all children of a node: a b-th of the memory of one for every
// weight, at about the same accuracy (docs/methods.md).
class Adagrad final : public BlockOptimizer {
 public:
  explicit Adagrad(const BlockLayout& layout) : sums_(row_count(layout)) {}

  void apply(float* weights, const BlockLayout& layout, NodeId node, float rate,
             std::span<const UpdateTask> tasks, std::vector<float>& scratch) override {
    const BlockShape shape = layout.shape(node);
    float* sums = sums_.data() + std::size_t{node} * (std::size_t{shape.dimension} + 1);
    for (UpdateTask task : tasks) {
      const float length =
          std::inner_product(task.steps, task.steps + shape.stride, task.steps, 0.0F);
      scratch.resize(task.row.count);
      adagrad_scale(task.row, length, sums, scratch.data());
      task.row.values = scratch.data();
      adagrad_scale({nullptr, &kBias, 1}, length, sums + shape.dimension, &task.bias);
      update_block(weights + layout.offset(node), shape, rate, std::span(&task, 1));
    }
  }
  std::span<float> state() override { return sums_.span(); }

 private:
  static constexpr float kBias = 1.0F;
  AlignedBuffer<float> sums_;
};

}  // namespace

std::unique_ptr<BlockOptimizer> make_optimizer(Optimizer kind, const BlockLayout& layout) {
  if (kind == Optimizer::kAdagrad) return std::make_unique<Adagrad>(layout);
  return std::make_unique<Sgd>();
}

std::size_t optimizer_bytes(Optimizer kind, const BlockLayout& layout) {
  return kind == Optimizer::kAdagrad ? row_count(layout) * sizeof(float) : 0;
}

}  // namespace cane

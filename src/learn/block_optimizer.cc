#include "learn/block_optimizer.h"

namespace cane {
namespace {

class Sgd final : public BlockOptimizer {
 public:
  void apply(float* weights, std::size_t offset, BlockShape shape, float rate,
             std::span<const UpdateTask> tasks) override {
    update_block(weights + offset, shape, rate, tasks);
  }
};

class Adagrad final : public BlockOptimizer {
 public:
  explicit Adagrad(const BlockLayout& layout) : squares_(layout.size()) {}

  void apply(float* weights, std::size_t offset, BlockShape shape, float rate,
             std::span<const UpdateTask> tasks) override {
    adagrad_update_block(weights + offset, squares_.data() + offset, shape, rate, tasks);
  }
  std::span<float> state() override { return squares_.span(); }

 private:
  AlignedBuffer<float> squares_;
};

}  // namespace

std::unique_ptr<BlockOptimizer> make_optimizer(Optimizer kind, const BlockLayout& layout) {
  if (kind == Optimizer::kAdagrad) return std::make_unique<Adagrad>(layout);
  return std::make_unique<Sgd>();
}

std::size_t optimizer_bytes(Optimizer kind, const BlockLayout& layout) {
  return kind == Optimizer::kAdagrad ? layout.size() * sizeof(float) : 0;
}

}  // namespace cane

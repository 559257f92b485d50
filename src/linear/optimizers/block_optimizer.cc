#include "linear/optimizers/block_optimizer.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/simd/row_kernels.h"
#include "methods/optimizer_table.h"

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
  void apply_rows(float* weights, const BlockLayout& layout, float rate, const GradientParts& parts,
                  std::span<const RowView> rows, std::vector<float>& /*scratch*/) override {
    std::vector<ClassId>& classes = classes_of_thread();
    const auto all = parts.parts();
    for (std::size_t begin = 0; begin < all.size();) {
      const std::uint32_t example = all[begin].example;
      classes.clear();
      std::size_t end = begin;
      for (; end < all.size() && all[end].example == example; ++end) {
        classes.push_back(all[end].node);
      }
      update_rows(weights, layout.pitch(), layout.dimension(), rate, rows[example], classes,
                  parts.steps(begin));
      begin = end;
    }
  }
  void apply_sum(float* weights, const BlockLayout& layout, ClassId row, float rate,
                 std::span<const float> step, std::vector<float>& /*scratch*/) override {
    float* const own = weights + layout.offset(row);
    for (std::size_t i = 0; i < step.size(); ++i) own[i] += rate * step[i];
  }

 private:
  static std::vector<ClassId>& classes_of_thread() {
    thread_local std::vector<ClassId> classes;
    return classes;
  }
};

// One accumulator per feature for all children of a node: with arity b, this takes 1/b of the
// memory of one accumulator per weight.
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
      const float bias = task.bias;
      if (bias != 0.0F) {
        adagrad_scale({nullptr, &bias, 1}, length, sums + shape.dimension, &task.bias);
      }
      update_block(weights + layout.offset(node), shape, rate, std::span(&task, 1));
    }
  }
  void apply_sum(float* weights, const BlockLayout& layout, ClassId row, float rate,
                 std::span<const float> step, std::vector<float>& scratch) override {
    scratch.resize(step.size());
    const RowView gradient = {nullptr, step.data(), static_cast<std::uint32_t>(step.size())};
    float* const sums = sums_.data() + row * step.size();
    adagrad_scale(gradient, 1.0F, sums, scratch.data());
    // A square beyond all numbers would silently stop the row from learning.
    if (!std::isfinite(sums[step.size() - 1]))
      scratch.back() = std::numeric_limits<float>::quiet_NaN();
    float* const own = weights + layout.offset(row);
    for (std::size_t i = 0; i < step.size(); ++i) own[i] += rate * scratch[i];
  }
  std::span<float> state() override { return sums_.span(); }

 private:
  AlignedBuffer<float> sums_;
};

}  // namespace

void BlockOptimizer::apply_rows(float* weights, const BlockLayout& layout, float rate,
                                const GradientParts& parts, std::span<const RowView> rows,
                                std::vector<float>& scratch) {
  for (std::size_t part = 0; part < parts.parts().size(); ++part) {
    const UpdateTask task = {rows[parts.parts()[part].example], 1.0F, parts.steps(part)};
    apply(weights, layout, parts.parts()[part].node, rate, std::span(&task, 1), scratch);
  }
}

std::unique_ptr<BlockOptimizer> make_optimizer(OptimizerKind kind, const BlockLayout& layout) {
  switch (kind) {
    case OptimizerKind::kSgd:
      return std::make_unique<Sgd>();
    case OptimizerKind::kAdagrad:
      return std::make_unique<Adagrad>(layout);
    case OptimizerKind::kAuto:
      break;
  }
  throw std::logic_error("an optimiser without a class");
}

std::size_t optimizer_bytes(OptimizerKind kind, const BlockLayout& layout) {
  return row_of(kind).floats_per_row * row_count(layout) * sizeof(float);
}

}  // namespace cane

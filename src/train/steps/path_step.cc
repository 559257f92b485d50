#include "train/steps/path_step.h"

#include "core/simd/softmax_kernels.h"
#include "linear/weights/parameter_table.h"

namespace cane {
namespace {

// If a node already gives nearly all probability to the label's child, its update is skipped; late
// in training this applies to most nodes.
constexpr float kSure = -1e-4F;  // log p

}  // namespace

StepStats PathStep::compute(std::span<const std::uint32_t> examples, const CounterRandom& random) {
  const ClassTree& tree = scorer_.tree();
  const auto rows = rows_.gather(examples, false, random);
  pairs_.clear();
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    for (NodeId node = tree.leaf_of(data_.label(examples[e])); node != 0;) {
      node = tree.parent(node);
      pairs_.push_back({e, node, 0.0F});
    }
  }
  scores_.resize(pairs_.size() * scorer_.slot());
  StepStats totals;
  totals.rows_scored = scorer_.score(rows, pairs_, scores_.data(), scratch_);
  totals.examples = examples.size();
  totals.covered = examples.size();
  gradient_.clear();
  std::size_t pair = 0;
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    const std::size_t first_part = gradient_.parts().size();
    score_gradient_.clear();
    double loss = 0.0;
    for (NodeId node = tree.leaf_of(data_.label(examples[e])); node != 0; ++pair) {
      const NodeId parent = tree.parent(node);
      const std::uint32_t child = node - tree.first_child(parent);
      const float* log_probabilities = scores_.data() + pair * scorer_.slot();
      loss -= static_cast<double>(log_probabilities[child]);
      node = parent;
      if (log_probabilities[child] > kSure) continue;
      float* steps = gradient_.add_part(e, parent);
      exp_and_sum(log_probabilities, tree.child_count(parent), 0.0F, steps);
      steps[child] -= 1.0F;
      score_gradient_.insert(score_gradient_.end(), steps, steps + tree.child_count(parent));
    }
    const float weight = data_.weight(examples[e]);
    const float scale = -clipped_weight(weight, clip_, score_gradient_, rows[e]);
    for (std::size_t part = first_part; part < gradient_.parts().size(); ++part) {
      const std::uint32_t children = tree.child_count(gradient_.parts()[part].node);
      for (std::uint32_t c = 0; c < children; ++c) gradient_.steps(part)[c] *= scale;
    }
    totals.loss += static_cast<double>(weight) * loss;
    totals.weight += static_cast<double>(weight);
  }
  gradients_.assign(1, {kClassTable, &gradient_, rows, true});
  rows_.back(gradient_, nullptr, gradients_);
  return totals;
}

}  // namespace cane

#include "search/frontier_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/noise/uniform_noise.h"

namespace cane {
namespace {}  // namespace

std::vector<std::uint32_t> classes_below_nodes(const ClassTree& tree) {
  std::vector<std::uint32_t> below(tree.node_count(), 0);
  // Children have higher numbers than their parents.
  for (NodeId node = tree.node_count(); node-- > 0;) {
    if (tree.is_leaf(node)) below[node] = 1;
    if (node > 0) below[tree.parent(node)] += below[node];
  }
  return below;
}

void FrontierNoise::prepare(std::uint32_t example, std::span<const ClassId> excluded) {
  parts_.clear();
  collect(example, parts_);
  std::ranges::sort(parts_, {}, &Part::node);
  float highest = -std::numeric_limits<float>::infinity();
  for (const Part& part : parts_) highest = std::max(highest, part.score);
  total_ = 0.0;
  for (Part& part : parts_) {
    const bool is_excluded =
        tree_.is_leaf(part.node) &&
        std::binary_search(excluded.begin(), excluded.end(), tree_.leaf_class(part.node));
    if (!is_excluded) {
      part.mass = static_cast<double>(below_[part.node]) *
                  std::exp(static_cast<double>(part.score - highest));
    }
    total_ += part.mass;
    part.end = total_;
  }
  if (!std::isfinite(total_)) total_ = 0.0;
}

ClassId FrontierNoise::draw_class(double part, double place) const {
  auto found = std::ranges::upper_bound(parts_, part * total_, {}, &Part::end);
  // Rounding may run past the end, or onto a part without mass.
  if (found == parts_.end()) --found;
  while (found->mass == 0.0) --found;
  NodeId node = found->node;
  auto rest = static_cast<std::uint32_t>(place * below_[node]);
  rest = std::min(rest, below_[node] - 1);
  while (!tree_.is_leaf(node)) {
    node = tree_.first_child(node);
    for (; rest >= below_[node]; ++node) rest -= below_[node];
  }
  return tree_.leaf_class(node);
}

float FrontierNoise::log_probability(ClassId class_id, std::size_t outside) const {
  double probability = 0.0;
  if (total_ > 0.0) {
    // The part of a class is the first of its ancestors that is one.
    for (NodeId node = tree_.leaf_of(class_id);; node = tree_.parent(node)) {
      const auto found = std::ranges::lower_bound(parts_, node, {}, &Part::node);
      if (found != parts_.end() && found->node == node) {
        probability = (1.0 - kNoiseFloor) * found->mass / (total_ * below_[node]);
        break;
      }
      if (node == 0) break;
    }
  }
  const double floor = total_ > 0.0 ? kNoiseFloor : 1.0;
  return static_cast<float>(std::log(probability + floor / static_cast<double>(outside)));
}

void FrontierNoise::draw(std::uint32_t example, std::span<const ClassId> excluded,
                         const CounterRandom& random, std::uint64_t number,
                         std::span<ClassId> noises, std::span<float> log_q) {
  prepare(example, excluded);
  const std::size_t outside = tree_.class_count() - excluded.size();
  for (std::uint32_t draw = 0; draw < noises.size(); ++draw) {
    const double which = random.uniform(number, 2 * draw);
    if (total_ == 0.0 || which < kNoiseFloor) {
      noises[draw] = class_outside(random.below(outside, number, 2 * draw + 1), excluded);
    } else {
      noises[draw] = draw_class((which - kNoiseFloor) / (1.0 - kNoiseFloor),
                                random.uniform(number, 2 * draw + 1));
    }
    log_q[draw] = log_probability(noises[draw], outside);
  }
}

float FrontierNoise::log_q(std::uint32_t example, ClassId class_id,
                           std::span<const ClassId> excluded) {
  prepare(example, excluded);
  return log_probability(class_id, tree_.class_count() - excluded.size());
}

}  // namespace cane

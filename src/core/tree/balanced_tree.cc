#include "core/tree/balanced_tree.h"

#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/tree/class_tree.h"

namespace cane {
namespace {

// A node to be built, with the leaves order[begin .. begin + count).
struct LeafRange {
  std::uint32_t begin;
  std::uint32_t count;
};

// The maximum number of leaves of a child whose parent has `leaves` leaves: arity^(D-1).
std::uint64_t child_capacity(std::uint32_t leaves, std::uint32_t arity) {
  std::uint64_t capacity = 1;
  while (capacity * arity < leaves) capacity *= arity;
  return capacity;
}

}  // namespace

ClassTree balanced_tree(std::span<const ClassId> order, std::uint32_t arity) {
  check_arity(arity);
  check_class_count(order.size());
  std::vector<std::uint32_t> child_counts;
  std::vector<ClassId> leaf_classes;
  leaf_classes.reserve(order.size());
  std::vector<LeafRange> level = {{0, static_cast<std::uint32_t>(order.size())}};
  std::vector<LeafRange> next_level;
  while (!level.empty()) {
    for (const LeafRange node : level) {
      if (node.count == 1) {
        child_counts.push_back(0);
        leaf_classes.push_back(order[node.begin]);
        continue;
      }
      const std::uint64_t capacity = child_capacity(node.count, arity);
      const auto children = static_cast<std::uint32_t>((node.count + capacity - 1) / capacity);
      child_counts.push_back(children);
      std::uint32_t begin = node.begin;
      for (std::uint32_t child = 0; child < children; ++child) {
        const std::uint32_t one_more = child < node.count % children ? 1 : 0;
        next_level.push_back({begin, node.count / children + one_more});
        begin += next_level.back().count;
      }
    }
    std::swap(level, next_level);
    next_level.clear();
  }
  return {std::move(child_counts), std::move(leaf_classes)};
}

std::vector<ClassId> class_order(std::uint32_t classes) {
  std::vector<ClassId> order(classes);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::vector<ClassId> random_order(std::uint32_t classes, std::uint64_t seed) {
  std::vector<ClassId> order = class_order(classes);
  const CounterRandom random(seed, RandomPurpose::kTree);
  for (std::uint32_t remaining = classes; remaining > 1; --remaining) {
    std::swap(order[remaining - 1], order[random.below(remaining, remaining, 0)]);
  }
  return order;
}

}  // namespace cane

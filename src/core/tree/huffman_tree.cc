#include "core/tree/huffman_tree.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tree/class_tree.h"
#include "core/tree/frequency_tree.h"

namespace cane {
namespace {

// The inner nodes of a tree as they are created. Node i < K is the leaf of the i-th class in
// ascending order, node K + j is the j-th inner node. Sums are also created in ascending order, so
// the two smallest nodes without a parent are at the heads of two queues.
class Merger {
 public:
  explicit Merger(std::vector<double> ascending) : leaf_masses_(std::move(ascending)) {
    const std::size_t inner = leaf_masses_.size() - 1;
    sums_.reserve(inner);
    children_.reserve(inner);
    while (sums_.size() < inner) {
      const std::uint32_t least = take();
      const std::uint32_t second = take();
      sums_.push_back(mass(least) + mass(second));
      children_.push_back({second, least});
    }
  }

  std::size_t leaves() const { return leaf_masses_.size(); }
  std::size_t root() const { return leaves() + children_.size() - 1; }
  const std::array<std::uint32_t, 2>& children(std::size_t node) const {
    return children_[node - leaves()];
  }

 private:
  double mass(std::size_t node) const {
    return node < leaves() ? leaf_masses_[node] : sums_[node - leaves()];
  }

  // On equal mass, prefer a leaf over a sum: this keeps the tree shallow.
  std::uint32_t take() {
    const bool leaf = next_leaf_ < leaves() &&
                      (next_sum_ == sums_.size() || leaf_masses_[next_leaf_] <= sums_[next_sum_]);
    return static_cast<std::uint32_t>(leaf ? next_leaf_++ : leaves() + next_sum_++);
  }

  std::vector<double> leaf_masses_;
  std::vector<double> sums_;
  std::vector<std::array<std::uint32_t, 2>> children_;
  std::size_t next_leaf_ = 0;
  std::size_t next_sum_ = 0;
};

}  // namespace

ClassTree huffman_tree(std::span<const double> counts) {
  check_class_count(counts.size());
  const std::vector<ClassId> descending = frequency_order(counts);
  const std::vector<ClassId> ascending(descending.rbegin(), descending.rend());
  std::vector<double> masses;
  masses.reserve(counts.size());
  for (const ClassId label : ascending) masses.push_back(counts[label]);
  const Merger merger(std::move(masses));

  std::vector<std::uint32_t> child_counts;
  std::vector<ClassId> leaf_classes;
  child_counts.reserve(2 * counts.size() - 1);
  leaf_classes.reserve(counts.size());
  std::vector<std::size_t> level = {merger.root()};
  std::vector<std::size_t> next_level;
  while (!level.empty()) {
    for (const std::size_t node : level) {
      if (node < merger.leaves()) {
        child_counts.push_back(0);
        leaf_classes.push_back(ascending[node]);
        continue;
      }
      child_counts.push_back(2);
      for (const std::uint32_t child : merger.children(node)) next_level.push_back(child);
    }
    std::swap(level, next_level);
    next_level.clear();
  }
  return {std::move(child_counts), std::move(leaf_classes)};
}

}  // namespace cane

#include "core/tree/frequency_tree.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "core/tree/class_tree.h"

namespace cane {
namespace {

// Sizes of consecutive subsets, each as close as whole classes allow to an equal share of what the
// subsets before it left. Counts must be in descending order.
std::vector<std::uint32_t> subset_sizes(std::span<const double> counts, std::uint32_t subsets) {
  std::vector<double> rest(counts.size() + 1, 0.0);  // sum from each class to the end
  for (std::size_t i = counts.size(); i-- > 0;) rest[i] = rest[i + 1] + counts[i];
  std::vector<std::uint32_t> sizes;
  std::size_t begin = 0;
  for (std::uint32_t left = subsets; left > 1; --left) {
    const double share = rest[begin] / left;
    const std::size_t last_end = counts.size() - (left - 1);  // one class per later subset
    std::size_t end = begin + 1;
    double sum = counts[begin];
    while (end < last_end && sum + counts[end] / 2 <= share) sum += counts[end++];
    sizes.push_back(static_cast<std::uint32_t>(end - begin));
    begin = end;
  }
  sizes.push_back(static_cast<std::uint32_t>(counts.size() - begin));
  return sizes;
}

}  // namespace

std::vector<ClassId> frequency_order(std::span<const double> counts) {
  std::vector<ClassId> order(counts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](ClassId a, ClassId b) { return counts[a] > counts[b]; });
  return order;
}

ClassTree frequency_tree(std::span<const double> counts, std::uint32_t subsets) {
  check_arity(subsets);
  check_class_count(counts.size());
  const std::vector<ClassId> order = frequency_order(counts);
  std::vector<double> descending;
  descending.reserve(counts.size());
  for (const ClassId label : order) descending.push_back(counts[label]);
  const auto sizes =
      subset_sizes(descending, std::min(subsets, static_cast<std::uint32_t>(counts.size())));

  std::vector<std::uint32_t> child_counts = {static_cast<std::uint32_t>(sizes.size())};
  std::vector<ClassId> single;
  std::vector<ClassId> grouped;
  auto next = order.begin();
  for (const std::uint32_t size : sizes) {
    child_counts.push_back(size == 1 ? 0 : size);
    auto& leaves = size == 1 ? single : grouped;
    leaves.insert(leaves.end(), next, next + size);
    next += size;
  }
  child_counts.resize(child_counts.size() + grouped.size(), 0);
  single.insert(single.end(), grouped.begin(), grouped.end());
  return {std::move(child_counts), std::move(single)};
}

}  // namespace cane

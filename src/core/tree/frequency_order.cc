#include "core/tree/frequency_order.h"

#include <algorithm>
#include <numeric>

namespace cane {

std::vector<ClassId> frequency_order(std::span<const double> counts) {
  std::vector<ClassId> order(counts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](ClassId a, ClassId b) { return counts[a] > counts[b]; });
  return order;
}

}  // namespace cane

#include "tree/class_counts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cane {

std::vector<double> class_counts(const DatasetView& data, std::uint32_t classes) {
  std::vector<double> counts(classes, 0.0);
  for (std::size_t example = 0; example < data.size(); ++example) {
    const ClassId label = data.label(example);
    if (label < classes) counts[label] += static_cast<double>(data.weight(example));
  }
  return counts;
}

std::vector<ClassId> frequency_order(std::span<const double> counts) {
  std::vector<ClassId> order(counts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](ClassId a, ClassId b) { return counts[a] > counts[b]; });
  return order;
}

}  // namespace cane

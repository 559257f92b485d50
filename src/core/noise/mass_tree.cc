#include "core/noise/mass_tree.h"

#include <algorithm>
#include <cassert>

namespace cane {
namespace {

// Calls visit(node) for a small set of nodes that cover the leaves [begin, end) of a tree with
// `size` leaves, until a call returns true; returns whether one did.
template <typename Visit>
bool visit_range(std::size_t size, std::size_t begin, std::size_t end, const Visit& visit) {
  std::size_t first = size + begin;
  std::size_t last = size + end;
  for (; first < last; first /= 2, last /= 2) {
    if (first % 2 == 1 && visit(first++)) return true;
    if (last % 2 == 1 && visit(--last)) return true;
  }
  return false;
}

}  // namespace

MassTree::MassTree(std::span<const double> masses) : sums_(2 * masses.size()) {
  assert(!masses.empty());
  std::ranges::copy(masses, sums_.begin() + static_cast<std::ptrdiff_t>(masses.size()));
  for (std::size_t node = masses.size() - 1; node > 0; --node) {
    sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }
}

// Visits the ranges between the excluded classes, in order.
template <typename Visit>
bool MassTree::visit_remaining(std::span<const ClassId> excluded, const Visit& visit) const {
  std::size_t begin = 0;
  for (const ClassId label : excluded) {
    if (visit_range(size(), begin, label, visit)) return true;
    begin = std::size_t{label} + 1;
  }
  return visit_range(size(), begin, size(), visit);
}

double MassTree::total_without(std::span<const ClassId> excluded) const {
  double total = 0.0;
  visit_remaining(excluded, [&](std::size_t node) {
    total += sums_[node];
    return false;
  });
  return total;
}

ClassId MassTree::find_without(std::span<const ClassId> excluded, double position) const {
  std::size_t found = 0;
  visit_remaining(excluded, [&](std::size_t node) {
    found = node;
    if (position < sums_[node]) return true;
    position -= sums_[node];
    return false;
  });
  assert(found > 0);
  while (found < size()) {
    found *= 2;
    if (position < sums_[found]) continue;
    position -= sums_[found];
    ++found;
  }
  return static_cast<ClassId>(found - size());
}

}  // namespace cane

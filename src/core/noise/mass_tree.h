// A binary tree of class masses and of the sums over ranges. Sums are computed only by addition,
// never as the difference of two larger sums, so the sum of a range has full relative precision
// even if other masses are larger by many orders of magnitude.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

class MassTree {
 public:
  /// Masses are positive; there is at least one.
  explicit MassTree(std::span<const double> masses);

  std::size_t size() const { return sums_.size() / 2; }
  double mass(ClassId label) const { return sums_[size() + label]; }
  double total() const { return sums_[1]; }

  /// The mass of all classes but `excluded` (ascending, distinct), in O(|excluded| log K).
  double total_without(std::span<const ClassId> excluded) const;

  /// The class at `position` when all classes except `excluded` are laid out in a row, each as wide
  /// as its mass; a uniform position in [0, total_without()) thus draws from the remaining classes.
  /// The order in the row is fixed but unspecified. A position at or beyond the end, which rounding
  /// may produce, selects the last class. At least one class must not be excluded. O(|excluded| log
  /// K).
  ClassId find_without(std::span<const ClassId> excluded, double position) const;

 private:
  template <typename Visit>
  bool visit_remaining(std::span<const ClassId> excluded, const Visit& visit) const;

  // Node i > 0 has the children 2i and 2i + 1; class k is node size() + k.
  std::vector<double> sums_;
};

}  // namespace cane

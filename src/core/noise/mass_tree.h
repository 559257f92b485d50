// Masses of the classes with the sums of ranges of them, in a binary tree. Sums are made of masses
// by addition alone, never as the difference of two larger sums, so that the sum of a range has
// full relative precision even where other masses are greater by many orders.
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

  /// The class that lies at `position` when all classes but `excluded` stand in a row, each as wide
  /// as its mass: a draw from what remains, if the position is uniform in [0, total_without()). The
  /// order in the row is some fixed one. A position at or beyond the end, as rounding may give,
  /// is taken for one of the last class. Not all classes are excluded. O(|excluded| log K).
  ClassId find_without(std::span<const ClassId> excluded, double position) const;

 private:
  template <typename Visit>
  bool visit_remaining(std::span<const ClassId> excluded, const Visit& visit) const;

  // Node i > 0 has the children 2i and 2i + 1; class k is node size() + k.
  std::vector<double> sums_;
};

}  // namespace cane

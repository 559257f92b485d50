// The class tree in the memory of the device (core/tree/class_tree.h).
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "device/learner.h"

namespace cane::device {

struct TreeView : TreeArrays {
  /// Children that are scored on the longest path.
  CANE_HOST_DEVICE std::uint32_t slots() const { return depth * arity; }
  CANE_HOST_DEVICE bool is_leaf(std::uint32_t node) const { return child_counts[node] == 0; }
  /// Edges from the root.
  CANE_HOST_DEVICE std::uint32_t depth_of(std::uint32_t node) const {
    std::uint32_t edges = 0;
    for (; node != 0; node = parents[node]) ++edges;
    return edges;
  }
};

}  // namespace cane::device

// A list of classes for every example of a batch, stored contiguously.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

struct ClassLists {
  std::vector<ClassId> classes;
  std::vector<std::uint32_t> starts = {0};  // start of each example's list, and the end of the last

  void clear() {
    classes.clear();
    starts.assign(1, 0);
  }
  /// Ends the list of an example: everything added since the last call belongs to it.
  void end_list() { starts.push_back(static_cast<std::uint32_t>(classes.size())); }
  std::size_t size() const { return starts.size() - 1; }
  std::span<const ClassId> of(std::size_t example) const {
    return std::span(classes).subspan(starts[example], starts[example + 1] - starts[example]);
  }
};

}  // namespace cane

// All rows of ranks that have read a part each, on every rank: what one process would have read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/parallel/communicator.h"
#include "data/loaded_data.h"

namespace cane {

struct GatherLimits {
  /// Where rows that are too large for memory are kept, in a file that has no name and is mapped.
  /// Empty: the folder of the caches.
  std::string folder = {};
  /// The most that may be kept in memory, even if there is room for more.
  std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();
  /// What all ranks together send to each at a time; a row is never cut.
  std::size_t round_bytes = std::size_t{64} << 20;
};

/// Each rank gives its part, as load_data() returned it, and gets the rows of all, those of lower
/// ranks first. One rank gets back what it gave. Rows go to a file if they are large, or take more
/// than half of the free memory of some machine with all of its ranks. Throws Error, with the name
/// of the folder, if they do not fit there. All ranks call it.
LoadedData gather_data(LoadedData share, Communicator& ranks, const GatherLimits& limits = {});

}  // namespace cane

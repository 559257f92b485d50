// Holds a few examples out of the data, in random order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cane/dataset.h"

namespace cane {

/// The data without `count` examples (or fewer), and these. Every class keeps an example. The seed
/// selects them.
std::pair<Dataset, Dataset> hold_out(const Dataset& data, std::size_t count, std::uint64_t seed);

}  // namespace cane

// An order of cluster centres in which neighbours are similar: a chain that begins at the centre
// farthest from the middle and goes on to the nearest centre that is left. Ties go to the lower
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cane {

/// centres: dimension x stride, centre j is column j. Returns `columns` in the order of the chain.
std::vector<std::uint32_t> nearest_chain(std::span<const double> centres, std::size_t stride,
                                         std::span<const std::uint32_t> columns);

}  // namespace cane

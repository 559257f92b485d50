// The order of classes by how often they occur, which trees by frequency start from.
#pragma once

#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

/// The classes from the most to the least frequent, of equal ones the lower first.
std::vector<ClassId> frequency_order(std::span<const double> counts);

}  // namespace cane

// The integer types that the whole library counts with.
#pragma once

#include <cstdint>
#include <limits>

namespace cane {

using ClassId = std::uint32_t;
using FeatureId = std::uint32_t;
using NodeId = std::uint32_t;

/// The class of an example whose label is missing or was never seen in training.
inline constexpr ClassId kUnknownClass = std::numeric_limits<ClassId>::max();

}  // namespace cane

// Changes of weights, made small to be sent: the difference to what others know already, in halves.
// What a half cannot hold stays a difference, and so does a change that is too small to matter;
// both are sent with a later change of the same weights.
#pragma once

#include <cstddef>

#include "core/base/half.h"

namespace cane {

/// Weights that are sent together.
inline constexpr std::size_t kChangeLine = 16;

/// A change is worth sending if it is larger than this part of the largest weight of its line: the
/// others then know weights about as well as if these were halves.
inline constexpr float kLeastChange = 1.0F / 1024;

/// Adds half(weights - known) to `known`, and writes it to `change`: kChangeLine values each.
/// Returns false, and changes nothing, if no change is worth sending.
bool take_change(const float* weights, float* known, Half* change);

/// Adds a change that another has made to both.
void add_change(const Half* change, float* weights, float* known);

}  // namespace cane

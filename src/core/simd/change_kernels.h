// Changes of weights, made small to be sent: the difference to what others know already, in halves.
// What a half cannot hold stays a difference, and so does a change that is too small to matter;
// both are sent with a later change of the same weights.
#pragma once

#include <cstddef>

#include "core/base/half.h"

namespace cane {

/// Weights that are sent together.
inline constexpr std::size_t kChangeLine = 16;

/// Adds half(weights - known) to `known`, and writes it to `change`: kChangeLine values each.
/// Returns whether any is not zero. Changes that are at most `least` times the largest weight are
/// not worth sending: if all are, it returns false and changes nothing.
bool take_change(const float* weights, float* known, float least, Half* change);

/// Adds a change that another has made to both.
void add_change(const Half* change, float* weights, float* known);

}  // namespace cane

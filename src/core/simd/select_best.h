// Selects the best scores, as beam search does at every level. Instead of using a heap, it searches
// for the threshold that the desired number of scores reach: a few counting passes over the few
// hundred scores of a beam, each a handful of vector operations with few branches to mispredict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cane {

/// The number of scores must be a multiple of this: the longest vector of any instruction set.
inline constexpr std::size_t kSelectMultiple = 16;
/// To keep more than this, other algorithms are faster: a threshold for an exact count is rarely
/// found in a few steps.
inline constexpr std::uint32_t kSelectMost = 64;

/// Writes the indices of the `keep` best of `scores`, in ascending order, and returns true; returns
/// false if equal scores (or NaN) make the selection ambiguous. The number of scores must be a
/// multiple of kSelectMultiple, and more than `keep` of them must be above minus infinity.
bool select_best(std::span<const float> scores, std::uint32_t keep, std::uint32_t* places);

/// The same for any number of the best from `least` to `most`, depending on which threshold is
/// found first: a wider range is found sooner. Returns that number; 0 if no threshold was found.
std::uint32_t select_approximately(std::span<const float> scores, std::uint32_t least,
                                   std::uint32_t most, std::uint32_t* places);

}  // namespace cane

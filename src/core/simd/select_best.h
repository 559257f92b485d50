// Which of some scores are the best: what beam search keeps of a level. Instead of a heap it looks
// for the threshold that so many scores reach: a few counts over the few hundred scores of a beam,
// each a handful of vector operations, and little for the branch predictor to miss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cane {

/// Scores come in multiples of this: the longest vector of any instruction set.
inline constexpr std::size_t kSelectMultiple = 16;
/// To keep more than this, other ways are quicker: a threshold for exactly so many scores is seldom
/// found in a few steps.
inline constexpr std::uint32_t kSelectMost = 64;

/// Writes the places of the `keep` best of `scores`, in ascending order, and returns true; false
/// where equal scores (or some that are not numbers) leave open which these are. The number of
/// scores is a multiple of kSelectMultiple, and more than `keep` of them are above minus infinity.
bool select_best(std::span<const float> scores, std::uint32_t keep, std::uint32_t* places);

/// The same for any number of the best from `least` to `most`, whichever threshold is found first:
/// the wider the range, the sooner that is. Returns how many; 0 where it finds none.
std::uint32_t select_approximately(std::span<const float> scores, std::uint32_t least,
                                   std::uint32_t most, std::uint32_t* places);

}  // namespace cane

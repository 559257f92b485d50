// The paper's tree for language models: one layer of subsets under the root. The classes, sorted by
// frequency, are cut into consecutive subsets that occur about equally often, so that the first
// holds a few frequent classes and the last a great many rare ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/class_tree.h"

namespace cane {

/// The classes from the most to the least frequent, of equal ones the lower first.
std::vector<ClassId> frequency_order(std::span<const double> counts);

/// counts[k] is the frequency or weight of class k, 0 or more; equally frequent classes stand in
/// the order of their ids. The root has min(subsets, K) children, the subsets from the most to the
/// least frequent, each with its classes for leaves. A subset of one class is that leaf itself.
/// Throws Error if `subsets` or K is below 2, or K above 2^31.
ClassTree frequency_tree(std::span<const double> counts, std::uint32_t subsets);

}  // namespace cane

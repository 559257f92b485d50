// The paper's tree for language models: one layer of subsets under the root. The classes, sorted by
// frequency, are cut into consecutive subsets of roughly equal total frequency, so that the first
// holds a few frequent classes and the last a large number of rare ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/class_tree.h"

namespace cane {

/// The classes in order of decreasing frequency; ties go to the lower class.
std::vector<ClassId> frequency_order(std::span<const double> counts);

/// counts[k] is the frequency or weight of class k, 0 or more; ties are ordered by class id. The
/// root has min(subsets, K) children, the subsets in order of decreasing frequency, each with its
/// classes as leaves. A subset of one class is that leaf itself. Throws Error if `subsets` or K is
/// below 2, or K is above 2^31.
ClassTree frequency_tree(std::span<const double> counts, std::uint32_t subsets);

}  // namespace cane

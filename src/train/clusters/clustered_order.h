// The left-to-right order of classes of Alg. 4: the classes are split recursively by k-means on
// their centres. Similar classes end up next to each other, which beam search relies on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "train/clusters/class_centres.h"

namespace cane {

/// Returns a permutation of the classes, a pure function of centres, arity (at least 2) and seed.
/// Each set of classes is split into min(arity, 64) clusters. Equal centres stay in class order.
std::vector<ClassId> clustered_order(const ClassCentres& centres, std::uint32_t arity,
                                     std::uint64_t seed, ThreadPool& pool);

}  // namespace cane

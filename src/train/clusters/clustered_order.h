// The left-to-right order of Alg. 4: the classes are split by k-means on their centres, the parts
// again, and so on. What is similar stands together, which is what beam search lives on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "train/clusters/class_centres.h"

namespace cane {

/// A permutation of the classes, a pure function of centres, arity (at least 2) and seed. Each set
/// of classes is split into `arity` clusters, or 64 if that is less. Equal centres stay in the
/// order of their classes.
std::vector<ClassId> clustered_order(const ClassCentres& centres, std::uint32_t arity,
                                     std::uint64_t seed, ThreadPool& pool);

}  // namespace cane

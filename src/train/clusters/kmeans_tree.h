// A tree whose nodes are the clusters themselves, large and small, where the balanced tree of Alg.
// 4 only takes their order and cuts it into equal pieces. A search needs fewer nodes of it: classes
// that are close to each other are below one node.
#pragma once

#include <cstdint>

#include "core/base/thread_pool.h"
#include "core/tree/class_tree.h"
#include "train/clusters/class_centres.h"

namespace cane {

/// A pure function of centres, arity (at least 2) and seed. At most `arity` children of a node.
ClassTree kmeans_tree(const ClassCentres& centres, std::uint32_t arity, std::uint64_t seed,
                      ThreadPool& pool);

}  // namespace cane

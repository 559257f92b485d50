// The recursion of Alg. 4: the classes are split by k-means on their centres, and each part again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "train/clusters/class_centres.h"

namespace cane {

/// The classes order[begin .. begin + count), and its parts in the next level; none: not split.
struct ClusterSet {
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t first_part = 0;
  std::size_t parts = 0;
};

struct ClusterLevels {
  std::vector<ClassId> order;  // similar classes are neighbours
  std::vector<std::vector<ClusterSet>> levels;
};

/// The most clusters to split a set of this many classes into; below 2: it is left whole.
using ClusterCount = std::function<std::uint32_t(std::size_t classes)>;

/// A pure function of the arguments but the pool. Equal centres stay in class order. No count is
/// above `most_clusters`.
ClusterLevels cluster_recursively(const ClassCentres& centres, const ClusterCount& clusters,
                                  std::uint32_t most_clusters, std::uint64_t seed,
                                  ThreadPool& pool);

}  // namespace cane

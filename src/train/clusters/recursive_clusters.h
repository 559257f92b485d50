// The recursion of Alg. 4: the classes are split by k-means on their centres, and each part again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "core/tree/class_tree.h"
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

/// The left-to-right order of the classes of Alg. 4, where similar ones are next to each other,
/// which beam search relies on: a pure function of centres, arity (at least 2) and seed. Each set
/// of classes is split into min(arity, 64) clusters. Equal centres stay in class order.
std::vector<ClassId> clustered_order(const ClassCentres& centres, std::uint32_t arity,
                                     std::uint64_t seed, ThreadPool& pool);

/// A tree whose nodes are the clusters themselves, large and small, where the balanced tree of Alg.
/// 4 only takes their order and cuts it into equal pieces. A search needs fewer nodes of it:
/// classes that are close to each other are below one node. A pure function of centres, arity (at
/// least 2) and seed. At most `arity` children of a node.
ClassTree kmeans_tree(const ClassCentres& centres, std::uint32_t arity, std::uint64_t seed,
                      ThreadPool& pool);

}  // namespace cane

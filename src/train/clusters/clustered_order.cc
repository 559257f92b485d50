#include "train/clusters/clustered_order.h"

#include <algorithm>
#include <utility>

#include "train/clusters/recursive_clusters.h"

namespace cane {
namespace {

// More clusters per split make k-means slower without improving the order: only the order matters,
// and the next level splits again.
constexpr std::uint32_t kMaxClusters = 64;

}  // namespace

std::vector<ClassId> clustered_order(const ClassCentres& centres, std::uint32_t arity,
                                     std::uint64_t seed, ThreadPool& pool) {
  const std::uint32_t clusters = std::min(arity, kMaxClusters);
  // Two classes have no better order. The first split is made whatever their number.
  const auto count = [&](std::size_t classes) {
    return classes > 2 || classes == centres.class_count() ? clusters : 0;
  };
  return std::move(cluster_recursively(centres, count, clusters, seed, pool).order);
}

}  // namespace cane

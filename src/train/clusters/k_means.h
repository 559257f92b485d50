// k-means for the recursion of Alg. 4: k-means++ seeding (Arthur and Vassilvitskii 2007), then
// Lloyd's iterations. Centres are stored feature-major, so that one pass over a point's values,
// sparse or dense, gives its products with all centres. Sums are in double precision and in a fixed
// order: the result depends neither on the number of threads nor on how the points are stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "data/rows/dataset_view.h"

namespace cane {

struct Clustering {
  std::vector<std::uint32_t> cluster_of;  // for each point
  std::uint32_t count = 0;                // clusters, none of them empty
};

/// Returns at most `clusters` clusters of the points (at least one point, finite values, all
/// features below `dimension`), and a single one if all points are equal. Clusters are numbered
/// along a chain, each followed by the nearest remaining one, so that neighbours are similar.
/// Random numbers are drawn from `random` for the example `stream`. `pool` may be null: the calling
/// thread then does all the work.
Clustering k_means(std::span<const RowView> points, FeatureId dimension, std::uint32_t clusters,
                   const CounterRandom& random, std::uint64_t stream, ThreadPool* pool);

}  // namespace cane

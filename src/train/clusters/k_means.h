// k-means for the recursion of Alg. 4: k-means++ seeds (Arthur and Vassilvitskii 2007), then
// Lloyd's iterations. Centres lie feature-major, so that one pass over a point's values, sparse or
// dense, gives its products with all centres at once. Sums are double and taken in a fixed order:
// the result depends neither on the number of threads nor on how the points are stored.
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

/// At most `clusters` clusters of the points (at least one point, finite values, all features below
/// `dimension`); one where all points are equal. Clusters are numbered along a chain, each followed
/// by the nearest one that is left, so that neighbours are similar. Random numbers are `random`'s
/// for the example `stream`. `pool` may be null: then the calling thread does it all.
Clustering k_means(std::span<const RowView> points, FeatureId dimension, std::uint32_t clusters,
                   const CounterRandom& random, std::uint64_t stream, ThreadPool* pool);

}  // namespace cane

// Labels: threads
#include "train/clusters/recursive_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;

SmallData data_of(std::uint32_t classes, float noise = 0.1F) {
  testing::SmallDataOptions options;
  options.classes = classes;
  options.examples = 2 * classes;
  options.dimension = 12;
  options.noise = noise;
  return SmallData(options);
}

TEST(KmeansTreeThreads, HasEveryClassOnceAndNoMoreChildrenThanTheArity) {
  ThreadPool pool(2);
  for (const std::uint32_t classes : {2U, 7U, 8U, 9U, 300U}) {
    const SmallData data = data_of(classes);
    const ClassTree tree = kmeans_tree({data.view(), classes, pool}, 8, 1, pool);
    EXPECT_EQ(tree.class_count(), classes);
    EXPECT_LE(tree.arity(), 8U);
  }
}

TEST(KmeansTreeThreads, IsTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  ThreadPool many(4);
  const SmallData data = data_of(200);
  EXPECT_EQ(kmeans_tree({data.view(), 200, one}, 6, 3, one),
            kmeans_tree({data.view(), 200, many}, 6, 3, many));
}

// A small group and a large one: a balanced tree would put some of the large one with the small.
TEST(KmeansTreeThreads, LeavesClustersWhole) {
  std::vector<float> values;
  std::vector<ClassId> labels;
  constexpr std::uint32_t kSmall = 3;
  constexpr std::uint32_t kAll = 20;
  for (std::uint32_t k = 0; k < kAll; ++k) {
    const float place = k < kSmall ? -100.0F : 100.0F;
    values.push_back(place + static_cast<float>(k % 7));
    values.push_back(static_cast<float>(k % 5));
    labels.push_back(k);
  }
  DatasetView::Dense rows;
  rows.matrix = std::as_bytes(std::span(values)).data();
  ThreadPool pool(1);
  const ClassTree tree = kmeans_tree({DatasetView(rows, 2, labels, {}), kAll, pool}, 2, 1, pool);
  const auto top_of = [&](ClassId label) {
    NodeId node = tree.leaf_of(label);
    while (tree.parent(node) != 0) node = tree.parent(node);
    return node;
  };
  for (ClassId k = 0; k < kAll; ++k) EXPECT_EQ(top_of(k) == top_of(0), k < kSmall) << k;
}

TEST(KmeansTreeThreads, CutsEqualCentresEvenly) {
  std::vector<float> values(50, 1.0F);
  std::vector<ClassId> labels(50);
  for (ClassId k = 0; k < 50; ++k) labels[k] = k;
  DatasetView::Dense rows;
  rows.matrix = std::as_bytes(std::span(values)).data();
  ThreadPool pool(1);
  const ClassTree tree = kmeans_tree({DatasetView(rows, 1, labels, {}), 50, pool}, 4, 1, pool);
  EXPECT_EQ(tree.depth(), 3U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "train/clusters/k_means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimension = 2;

// Points near the corners of a long rectangle, `count` at each; dense or sparse.
class Corners {
 public:
  explicit Corners(std::size_t count, bool is_sparse = false) {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (std::size_t i = 0; i < 4 * count; ++i) {
      const std::size_t corner = i % 4;
      values_.push_back({(corner & 1U) != 0 ? 1.0F : -1.0F, (corner & 2U) != 0 ? 10.0F : -10.0F});
      for (std::uint32_t f = 0; f < kDimension; ++f) {
        values_.back()[f] += 0.1F * static_cast<float>(random.normal(i, f));
      }
    }
    for (const auto& point : values_) {
      rows_.push_back({is_sparse ? kIndices.data() : nullptr, point.data(), kDimension});
    }
  }
  std::span<const RowView> rows() const { return rows_; }

 private:
  static constexpr std::array<FeatureId, kDimension> kIndices = {0, 1};
  std::vector<std::array<float, kDimension>> values_;
  std::vector<RowView> rows_;
};

Clustering cluster(const Corners& corners, std::uint32_t clusters, ThreadPool* pool = nullptr,
                   std::uint64_t stream = 0) {
  return k_means(corners.rows(), kDimension, clusters, CounterRandom(1, RandomPurpose::kTree),
                 stream, pool);
}

TEST(KMeans, FindsClustersThatAreFarApart) {
  const Corners corners(50);
  for (std::uint64_t stream = 0; stream < 5; ++stream) {
    const Clustering found = cluster(corners, 2, nullptr, stream);
    ASSERT_EQ(found.count, 2U);
    for (std::size_t i = 0; i < found.cluster_of.size(); ++i) {
      // The second feature separates them.
      EXPECT_EQ(found.cluster_of[i] == found.cluster_of[0], (i % 4) / 2 == 0) << i;
    }
  }
}

TEST(KMeans, NumbersClustersSoThatNeighboursAreSimilar) {
  const Corners corners(50);
  // Any seeds that have a point at each corner end at the corners.
  std::uint64_t stream = 0;
  const auto has_every_corner = [&](const Clustering& found) {
    const std::set<std::uint32_t> clusters(found.cluster_of.begin(), found.cluster_of.begin() + 4);
    return found.count == 4 && clusters.size() == 4;
  };
  while (!has_every_corner(cluster(corners, 4, nullptr, stream))) ASSERT_LT(++stream, 50U);
  const Clustering found = cluster(corners, 4, nullptr, stream);
  // Corners 0 and 1, and 2 and 3, are near each other: they are neighbours in the chain.
  const auto& of = found.cluster_of;
  EXPECT_EQ(std::abs(static_cast<int>(of[0]) - static_cast<int>(of[1])), 1);
  EXPECT_EQ(std::abs(static_cast<int>(of[2]) - static_cast<int>(of[3])), 1);
}

TEST(KMeans, DependsNeitherOnThreadsNorOnHowPointsAreStored) {
  const Corners dense(300);
  const Clustering expected = cluster(dense, 7);
  EXPECT_EQ(cluster(Corners(300, true), 7).cluster_of, expected.cluster_of);
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    EXPECT_EQ(cluster(dense, 7, &pool).cluster_of, expected.cluster_of) << threads;
  }
}

TEST(KMeans, LeavesNoClusterEmpty) {
  const Corners corners(2);
  const Clustering found = cluster(corners, 100);
  std::set<std::uint32_t> clusters(found.cluster_of.begin(), found.cluster_of.end());
  EXPECT_EQ(clusters.size(), found.count);
  EXPECT_LE(found.count, corners.rows().size());
  // Points that are all equal are one cluster.
  const std::vector<RowView> same(5, corners.rows().front());
  EXPECT_EQ(k_means(same, kDimension, 3, CounterRandom(1, RandomPurpose::kTree), 0, nullptr).count,
            1U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

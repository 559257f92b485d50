#include "train/clusters/recursive_clusters.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"
#include "train/clusters/k_means.h"

namespace cane {
namespace {

// Sets with fewer classes are not worth a parallel loop.
constexpr std::size_t kLargeSet = 1024;

// The centres of a set of classes as points for k-means. Sparse centres keep only the features that
// occur in the set, renumbered without gaps, so that small sets are cheap for any dimension. One
// per thread, reused across sets.
class PointSet {
 public:
  void load(const ClassCentres& centres, std::span<const ClassId> classes) {
    points_.clear();
    for (const ClassId label : classes) points_.push_back(centres.row(label));
    dimension_ = centres.dimension();
    if (!centres.is_dense()) renumber(centres.dimension());
  }

  std::span<const RowView> points() const { return points_; }
  FeatureId dimension() const { return dimension_; }

 private:
  static constexpr FeatureId kAbsent = std::numeric_limits<FeatureId>::max();

  void renumber(FeatureId dimension) {
    numbers_.resize(dimension, kAbsent);
    features_.clear();
    std::size_t stored = 0;
    for (const RowView& point : points_) {
      stored += point.count;
      for (const FeatureId feature : std::span(point.indices, point.count)) {
        if (numbers_[feature] == kAbsent) features_.push_back(feature);
        numbers_[feature] = 0;
      }
    }
    std::ranges::sort(features_);
    dimension_ = static_cast<FeatureId>(features_.size());
    for (FeatureId number = 0; number < dimension_; ++number) numbers_[features_[number]] = number;
    indices_.clear();
    indices_.reserve(stored);
    for (RowView& point : points_) {
      const FeatureId* renumbered = indices_.data() + indices_.size();
      for (const FeatureId feature : std::span(point.indices, point.count)) {
        indices_.push_back(numbers_[feature]);
      }
      point.indices = renumbered;
    }
    for (const FeatureId feature : features_) numbers_[feature] = kAbsent;
  }

  std::vector<RowView> points_;
  FeatureId dimension_ = 0;
  std::vector<FeatureId> numbers_;   // feature -> number in the set
  std::vector<FeatureId> features_;  // and back
  std::vector<FeatureId> indices_;
};

// Groups the classes by cluster, preserving their order otherwise; returns the clusters.
std::vector<ClusterSet> group(std::span<ClassId> classes, std::size_t begin,
                              const Clustering& clustering) {
  std::vector<ClusterSet> parts(clustering.count);
  for (const std::uint32_t cluster : clustering.cluster_of) ++parts[cluster].count;
  std::vector<std::size_t> next;
  std::size_t place = 0;
  for (ClusterSet& part : parts) {
    part.begin = begin + place;
    next.push_back(place);
    place += part.count;
  }
  const std::vector<ClassId> before(classes.begin(), classes.end());
  for (std::size_t i = 0; i < before.size(); ++i) {
    classes[next[clustering.cluster_of[i]]++] = before[i];
  }
  return parts;
}

// Deep enough for any useful tree; bounds the recursion if outliers are split off one by one.
std::uint32_t most_levels(std::size_t classes, std::uint32_t clusters) {
  std::uint32_t levels = 0;
  for (std::size_t reached = 1; reached < classes; reached *= clusters) ++levels;
  return 4 * levels + 16;
}

}  // namespace

ClusterLevels cluster_recursively(const ClassCentres& centres, const ClusterCount& clusters,
                                  std::uint32_t most_clusters, std::uint64_t seed,
                                  ThreadPool& pool) {
  const auto threads = static_cast<std::size_t>(pool.threads());
  ClusterLevels result;
  std::vector<ClassId>& order = result.order;
  order = class_order(centres.class_count());
  result.levels.push_back({{0, order.size(), 0, 0}});
  std::vector<PointSet> point_sets(threads);
  const std::uint32_t levels = most_levels(order.size(), most_clusters);
  for (std::uint32_t depth = 0; depth < levels && !result.levels.back().empty(); ++depth) {
    std::vector<ClusterSet>& level = result.levels.back();
    const CounterRandom random(seed, RandomPurpose::kTree, depth + 1);
    std::vector<std::vector<ClusterSet>> parts(level.size());
    const auto split = [&](std::size_t i, PointSet& set, ThreadPool* inner_pool) {
      const std::uint32_t count = clusters(level[i].count);
      if (count < 2) return;
      const auto classes = std::span(order).subspan(level[i].begin, level[i].count);
      set.load(centres, classes);
      const Clustering clustering =
          k_means(set.points(), set.dimension(), count, random, level[i].begin, inner_pool);
      if (clustering.count > 1) parts[i] = group(classes, level[i].begin, clustering);
    };
    // Large sets are processed one after the other with all threads, small ones with a thread each;
    // the result does not depend on which.
    const auto is_large = [&](const ClusterSet& set) {
      return set.count >= kLargeSet && set.count > order.size() / (2 * threads);
    };
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (is_large(level[i])) split(i, point_sets[0], &pool);
    }
    pool.run(level.size(), [&](std::size_t i, int worker) {
      if (!is_large(level[i])) split(i, point_sets[static_cast<std::size_t>(worker)], nullptr);
    });
    std::vector<ClusterSet> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      level[i].first_part = next.size();
      level[i].parts = parts[i].size();
      next.insert(next.end(), parts[i].begin(), parts[i].end());
    }
    result.levels.push_back(std::move(next));
  }
  return result;
}

std::vector<ClassId> clustered_order(const ClassCentres& centres, std::uint32_t arity,
                                     std::uint64_t seed, ThreadPool& pool) {
  // More clusters per split make k-means slower without improving the order: only the order
  // matters, and the next level splits again.
  constexpr std::uint32_t kMaxClusters = 64;
  const std::uint32_t clusters = std::min(arity, kMaxClusters);
  // Two classes have no better order. The first split is made whatever their number.
  const auto count = [&](std::size_t classes) {
    return classes > 2 || classes == centres.class_count() ? clusters : 0;
  };
  return std::move(cluster_recursively(centres, count, clusters, seed, pool).order);
}

}  // namespace cane

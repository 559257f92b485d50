#include "train/clusters/k_means.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

namespace cane {
namespace {

constexpr int kMaxIterations = 10;
// Iterations stop when fewer than one point in this many changes its cluster: the last few points
// take most of the time and do not matter.
constexpr std::size_t kSettled = 100;
constexpr std::size_t kPointsPerTask = 256;
constexpr std::size_t kNarrowTile = 4;
constexpr std::size_t kTile = 8;

FeatureId feature_at(const RowView& point, std::uint32_t i) {
  return point.indices != nullptr ? point.indices[i] : i;
}

double squared_length(const RowView& point) {
  double sum = 0.0;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    sum += static_cast<double>(point.values[i]) * static_cast<double>(point.values[i]);
  }
  return sum;
}

// Products of a point with `Tile` adjacent centres.
template <std::size_t Tile>
void products(const RowView& point, const double* centres, std::size_t stride, double* result) {
  double sums[Tile] = {};
  for (std::uint32_t i = 0; i < point.count; ++i) {
    const double value = static_cast<double>(point.values[i]);
    const double* centre = centres + feature_at(point, i) * stride;
    for (std::size_t j = 0; j < Tile; ++j) sums[j] += value * centre[j];
  }
  std::copy_n(sums, Tile, result);
}

// Orders cluster centres so that neighbours are similar: a chain that starts at the centre farthest
// from the mean and continues with the nearest remaining centre. Ties go to the lower number.
// `centres` is dimension x stride, centre j is column j; returns `columns` in chain order.
std::vector<std::uint32_t> nearest_chain(std::span<const double> centres, std::size_t stride,
                                         std::span<const std::uint32_t> columns) {
  std::vector<std::uint32_t> chain(columns.begin(), columns.end());
  if (chain.size() <= 2) return chain;

  std::vector<double> products(stride * stride, 0.0);
  for (std::size_t i = 0; i < centres.size(); i += stride) {
    const double* row = centres.data() + i;
    for (const std::uint32_t a : columns) {
      double* sums = products.data() + a * stride;
      for (std::size_t b = 0; b < stride; ++b) sums[b] += row[a] * row[b];
    }
  }
  const auto distance = [&](std::size_t a, std::size_t b) {
    return products[a * stride + a] + products[b * stride + b] - 2.0 * products[a * stride + b];
  };
  const auto spread = [&](std::uint32_t a) {
    double sum = 0.0;
    for (const std::uint32_t b : columns) sum += distance(a, b);
    return sum;
  };

  std::swap(chain.front(), *std::ranges::max_element(chain, {}, spread));
  for (auto next = chain.begin() + 1; next != chain.end(); ++next) {
    std::sort(next, chain.end());
    const auto nearest = std::min_element(next, chain.end(), [&](auto a, auto b) {
      return distance(*(next - 1), a) < distance(*(next - 1), b);
    });
    std::swap(*next, *nearest);
  }
  return chain;
}

class KMeans {
 public:
  KMeans(std::span<const RowView> points, FeatureId dimension, std::uint32_t clusters,
         ThreadPool* pool)
      : points_(points),
        dimension_(dimension),
        most_clusters_(std::min<std::size_t>(clusters, points.size())),
        tile_(most_clusters_ <= kNarrowTile ? kNarrowTile : kTile),
        stride_((most_clusters_ + tile_ - 1) / tile_ * tile_),
        pool_(pool),
        centres_(dimension * stride_, 0.0),
        norms_(stride_, 0.0),
        sizes_(stride_, 0),
        cluster_of_(points.size(), 0) {}

  void seed(const CounterRandom& random, std::uint64_t stream) {
    std::vector<double> lengths(points_.size());
    for_each_point([&](std::size_t point) { lengths[point] = squared_length(points_[point]); });
    std::vector<double> distances(points_.size(), std::numeric_limits<double>::infinity());
    std::vector<double> centre(dimension_, 0.0);
    std::size_t chosen = random.below(points_.size(), stream, 0);
    while (true) {
      put_centre(chosen, centre);
      for_each_point([&](std::size_t point) {
        double product = 0.0;
        products<1>(points_[point], centre.data(), 1, &product);
        const double distance = lengths[chosen] + lengths[point] - 2.0 * product;
        distances[point] = std::min(distances[point], std::max(distance, 0.0));
      });
      clear(chosen, centre);
      double total = 0.0;
      for (const double distance : distances) total += distance;
      if (cluster_count_ == most_clusters_ || !(total > 0.0)) return;
      chosen = draw(distances,
                    total * random.uniform(stream, static_cast<std::uint32_t>(cluster_count_)));
    }
  }

  void iterate() {
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      measure_centres();
      const std::size_t changed = assign();
      if (iteration > 0 && changed * kSettled < points_.size()) return;
      move_centres();
    }
  }

  Clustering chained() {
    std::vector<std::uint32_t> filled;
    for (std::uint32_t cluster = 0; cluster < cluster_count_; ++cluster) {
      if (sizes_[cluster] > 0) filled.push_back(cluster);
    }
    Clustering result;
    std::vector<std::uint32_t> numbers(cluster_count_, 0);
    for (const std::uint32_t cluster : nearest_chain(centres_, stride_, filled)) {
      numbers[cluster] = result.count++;
    }
    for (std::uint32_t& cluster : cluster_of_) cluster = numbers[cluster];
    result.cluster_of = std::move(cluster_of_);
    return result;
  }

 private:
  void run(std::size_t tasks, const std::function<void(std::size_t)>& body) {
    if (pool_ != nullptr) {
      pool_->run(tasks, [&](std::size_t task, int) { body(task); });
    } else {
      for (std::size_t task = 0; task < tasks; ++task) body(task);
    }
  }

  template <typename Body>
  void for_each_point(const Body& body) {
    run((points_.size() + kPointsPerTask - 1) / kPointsPerTask, [&](std::size_t task) {
      const std::size_t end = std::min((task + 1) * kPointsPerTask, points_.size());
      for (std::size_t point = task * kPointsPerTask; point < end; ++point) body(point);
    });
  }

  // Makes a point the next centre and writes it to `centre`, which must be zero.
  void put_centre(std::size_t chosen, std::vector<double>& centre) {
    const RowView& point = points_[chosen];
    for (std::uint32_t i = 0; i < point.count; ++i) {
      const auto value = static_cast<double>(point.values[i]);
      centre[feature_at(point, i)] = value;
      centres_[feature_at(point, i) * stride_ + cluster_count_] = value;
    }
    ++cluster_count_;
  }

  void clear(std::size_t chosen, std::vector<double>& centre) const {
    const RowView& point = points_[chosen];
    for (std::uint32_t i = 0; i < point.count; ++i) centre[feature_at(point, i)] = 0.0;
  }

  // Finds the point at which the running sum of the distances exceeds `target`. A point on a centre
  // is never drawn, even if rounding carries the target past the end.
  static std::size_t draw(const std::vector<double>& distances, double target) {
    std::size_t drawn = 0;
    for (std::size_t point = 0; point < distances.size(); ++point) {
      if (distances[point] <= 0.0) continue;
      drawn = point;
      target -= distances[point];
      if (target < 0.0) break;
    }
    return drawn;
  }

  void measure_centres() {
    std::ranges::fill(norms_, 0.0);
    for (std::size_t i = 0; i < centres_.size(); i += stride_) {
      for (std::size_t j = 0; j < stride_; ++j) norms_[j] += centres_[i + j] * centres_[i + j];
    }
  }

  std::uint32_t nearest(const RowView& point, std::span<double> scores) const {
    // Without features all centres coincide, and there is no data to point to.
    if (dimension_ == 0) return 0;
    for (std::size_t j = 0; j < stride_; j += tile_) {
      if (tile_ == kTile) {
        products<kTile>(point, centres_.data() + j, stride_, scores.data() + j);
      } else {
        products<kNarrowTile>(point, centres_.data() + j, stride_, scores.data() + j);
      }
    }
    std::uint32_t best = 0;
    double best_distance = std::numeric_limits<double>::infinity();
    for (std::uint32_t cluster = 0; cluster < cluster_count_; ++cluster) {
      const double distance = norms_[cluster] - 2.0 * scores[cluster];
      if (distance >= best_distance) continue;
      best = cluster;
      best_distance = distance;
    }
    return best;
  }

  // Returns the number of points that changed their cluster.
  std::size_t assign() {
    std::atomic<std::size_t> changed = 0;
    run((points_.size() + kPointsPerTask - 1) / kPointsPerTask, [&](std::size_t task) {
      std::vector<double> scores(stride_);
      const std::size_t end = std::min((task + 1) * kPointsPerTask, points_.size());
      for (std::size_t point = task * kPointsPerTask; point < end; ++point) {
        const std::uint32_t cluster = nearest(points_[point], scores);
        if (cluster == cluster_of_[point]) continue;
        cluster_of_[point] = cluster;
        ++changed;
      }
    });
    std::ranges::fill(sizes_, 0);
    for (const std::uint32_t cluster : cluster_of_) ++sizes_[cluster];
    return changed;
  }

  // A centre without points is left unchanged. A task handles a range of features and visits all
  // points in order, so the sums are the same for any number of tasks.
  void move_centres() {
    std::vector<double> keep(stride_);
    std::vector<double> scale(stride_);
    for (std::size_t j = 0; j < stride_; ++j) {
      keep[j] = sizes_[j] > 0 ? 0.0 : 1.0;
      scale[j] = sizes_[j] > 0 ? 1.0 / static_cast<double>(sizes_[j]) : 1.0;
    }
    const std::size_t tasks = pool_ != nullptr ? static_cast<std::size_t>(pool_->threads()) * 4 : 1;
    run(tasks, [&](std::size_t task) {
      const auto begin = static_cast<FeatureId>(dimension_ * task / tasks);
      const auto end = static_cast<FeatureId>(dimension_ * (task + 1) / tasks);
      multiply_centres(begin, end, keep);
      for (std::size_t point = 0; point < points_.size(); ++point) {
        add_to_centre(points_[point], begin, end, cluster_of_[point]);
      }
      multiply_centres(begin, end, scale);
    });
  }

  void multiply_centres(FeatureId begin, FeatureId end, const std::vector<double>& factors) {
    for (std::size_t feature = begin; feature < end; ++feature) {
      double* row = centres_.data() + feature * stride_;
      for (std::size_t j = 0; j < stride_; ++j) row[j] *= factors[j];
    }
  }

  void add_to_centre(const RowView& point, FeatureId begin, FeatureId end, std::uint32_t cluster) {
    std::uint32_t i = begin;
    if (point.indices != nullptr) {
      const auto* first = std::lower_bound(point.indices, point.indices + point.count, begin);
      i = static_cast<std::uint32_t>(first - point.indices);
    }
    for (; i < point.count && feature_at(point, i) < end; ++i) {
      centres_[feature_at(point, i) * stride_ + cluster] += static_cast<double>(point.values[i]);
    }
  }

  std::span<const RowView> points_;
  std::size_t dimension_;
  std::size_t most_clusters_;
  std::size_t tile_;
  std::size_t stride_;
  ThreadPool* pool_;
  std::size_t cluster_count_ = 0;
  std::vector<double> centres_;  // dimension x stride: centre j is column j
  std::vector<double> norms_;    // squared lengths of the centres
  std::vector<std::size_t> sizes_;
  std::vector<std::uint32_t> cluster_of_;
};

}  // namespace

Clustering k_means(std::span<const RowView> points, FeatureId dimension, std::uint32_t clusters,
                   const CounterRandom& random, std::uint64_t stream, ThreadPool* pool) {
  KMeans clustering(points, dimension, clusters, pool);
  clustering.seed(random, stream);
  clustering.iterate();
  return clustering.chained();
}

}  // namespace cane

// An index of the class vectors that finds, in far fewer than K products, classes whose score
// w_k.x + b_k is among the highest: a hierarchical navigable small world graph (Malkov and Yashunin
// 2018), built by hnswlib and searched here. It is approximate, and it holds a copy: weights that
// change later are not seen until a new index is built.
//
// Vectors are compared by their inner product, the bias being one more coordinate, and are centred
// first: taking the same vector from every class takes the same amount from all scores of an x, so
// no order changes, and the graph no longer leans to where all classes have something in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"

namespace cane {

class GraphIndex {
 public:
  /// Links of a point on the upper levels (twice as many on the lowest), and how many candidates
  /// these are chosen from.
  static constexpr std::size_t kLinks = 16;
  static constexpr std::size_t kBuildWidth = 100;

  /// Writes the weights of a class, then its bias: dimension + 1 floats. Called from any thread of
  /// the pool, and more than once for each class.
  using Rows = std::function<void(ClassId label, std::span<float> row)>;

  /// Scratch of a search; one for each thread, for any number of searches in any index.
  class Scratch {
    friend class GraphIndex;
    using Scored = std::pair<float, std::uint32_t>;  // score, point

    std::vector<float> query_;
    std::vector<std::uint32_t> visited_;  // the search that last came by each point
    std::uint32_t search_ = 0;
    std::vector<Scored> frontier_;  // a heap, the highest score on top
    std::vector<Scored> found_;     // a heap, the lowest score on top
  };

  /// At least one class; all values finite. Without a pool the index depends on the vectors alone;
  /// with one it is as good, but differs from run to run.
  GraphIndex(const Rows& rows, ClassId class_count, FeatureId dimension, ThreadPool* pool);
  ~GraphIndex();

  /// Replaces `labels` by min(count, K) classes, the best first. `query` is x, `dimension` floats.
  /// `width` (at least `count` is used) is how many classes the search keeps in sight: the more,
  /// the better and the slower. From K on, all classes are scored and the result is exact.
  /// Thread-safe.
  void search(std::span<const float> query, std::size_t count, std::size_t width, Scratch& scratch,
              std::vector<ClassId>& labels) const;

  ClassId class_count() const { return static_cast<ClassId>(next_equal_.size()); }

 private:
  struct Graph;

  // Fills next_equal_ and returns the first class with each vector.
  std::vector<ClassId> find_equals(const Rows& rows, ClassId class_count, ThreadPool* pool);
  void score_all(Scratch& scratch) const;
  void follow_links(std::size_t width, Scratch& scratch) const;

  FeatureId dimension_;
  std::size_t stride_;  // of a vector: dimension + 1 floats, padded
  std::size_t point_count_ = 0;
  // Equal vectors share a point: their links would lead to each other and to nothing else. The
  // next class with the same vector, or kUnknownClass.
  std::vector<ClassId> next_equal_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace cane

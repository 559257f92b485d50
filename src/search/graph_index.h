// An index of the class vectors that finds, in far fewer than K products, classes whose score w_k.x
// + b_k is among the highest: a hierarchical navigable small world graph (Malkov and Yashunin
// 2018), built by hnswlib and searched here. It is approximate, and it holds a copy of the weights:
// later changes are not seen until a new index is built.
//
// Vectors are compared by inner product, with the bias as an additional coordinate, and are centred
// first: subtracting the same vector from every class shifts all scores of an x by the same amount,
// so the ranking is unchanged, and the graph is not skewed by the component common to all classes.
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
  /// Links per point on the upper levels (twice as many on the lowest), and the number of
  /// candidates they are chosen from.
  static constexpr std::size_t kLinks = 16;
  static constexpr std::size_t kBuildWidth = 100;

  /// Writes the weights of a class, then its bias: dimension + 1 floats. May be called from any
  /// thread of the pool, and more than once per class.
  using Rows = std::function<void(ClassId label, std::span<float> row)>;

  /// Scratch memory of a search: one per thread, reusable for any index.
  class Scratch {
    friend class GraphIndex;
    using Scored = std::pair<float, std::uint32_t>;  // score, point

    std::vector<float> query_;
    std::vector<std::uint32_t> visited_;  // number of the last search that visited each point
    std::uint32_t search_ = 0;
    std::vector<Scored> frontier_;  // max-heap by score
    std::vector<Scored> found_;     // min-heap by score
  };

  /// Requires at least one class and finite values. Without a pool the index depends on the vectors
  /// alone; with one, its quality is the same but it differs from run to run.
  GraphIndex(const Rows& rows, ClassId class_count, FeatureId dimension, ThreadPool* pool);
  ~GraphIndex();

  /// Replaces `labels` by min(count, K) classes, best first. `query` is x, `dimension` floats.
  /// `width` (at least `count` is used) is the number of classes that the search keeps: larger is
  /// more accurate and slower. With a width of K or more, all classes are scored and the result is
  /// exact. Thread-safe.
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
  // The next class with the same vector, or kUnknownClass. Equal vectors share one point: otherwise
  // they would link only to each other.
  std::vector<ClassId> next_equal_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace cane

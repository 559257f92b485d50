// Selects candidates by a search in a tree of mean class vectors (search/centroid_index.h), and
// rescores them with the current weights. The index copies the weights as of the last refresh.
//
// How far behind the best node of a level a node may be is measured: on a sample of examples,
// searched at full width. It sees the examples, never their labels.
#pragma once

#include <span>
#include <vector>

#include "data/rows/dataset_view.h"
#include "linear/scorers/flat_scorer.h"
#include "search/centroid_index.h"
#include "search/centroid_search.h"
#include "search/frontier_noise.h"
#include "search/selector.h"

namespace cane {

/// What a search needs to know of each level. It is part of the model: a model that is loaded
/// searches as it did in training.
template <typename Value>
struct SearchLevels {
  std::span<Value> margins;  // behind the best node of the level
  std::span<Value> factors;  // of the spread of a node, which are added to its score
};

/// What they are measured with.
struct SearchMeasurement {
  /// Examples to measure them with; null: there is no limit but the width.
  const DatasetView* data;
  std::uint32_t width;
};

class CentroidSelector final : public Selector {
 public:
  /// For training; refresh must be called before the first select. Everything given must outlive
  /// the object.
  CentroidSelector(const FlatScorer& scorer, const ClassTree& tree,
                   const SearchLevels<float>& levels, const SearchMeasurement& measurement);
  /// For prediction, with levels that were measured.
  CentroidSelector(const FlatScorer& scorer, const ClassTree& tree,
                   const SearchLevels<const float>& levels);

  std::unique_ptr<Worker> make_worker() const override;
  bool needs_refresh() const override { return true; }
  void refresh(ThreadPool* pool) override;

  const FlatScorer& scorer() const { return scorer_; }
  const CentroidIndex& index() const { return index_; }
  std::span<const float> margins() const { return levels_.margins; }
  bool is_for_prediction() const { return measured_.margins.empty(); }
  /// Number of classes below each node; only for prediction.
  std::span<const std::uint32_t> below() const { return below_; }

 private:
  void measure(ThreadPool* pool);
  void measure_gaps(std::span<const std::size_t> sample, ThreadPool* pool);

  const FlatScorer& scorer_;
  CentroidIndex index_;
  SearchLevels<const float> levels_;
  SearchLevels<float> measured_;  // empty in prediction
  SearchMeasurement measurement_ = {};
  std::vector<std::uint32_t> below_;
  std::vector<std::vector<CentroidSearch::Gap>> gaps_;  // of each level
};

}  // namespace cane

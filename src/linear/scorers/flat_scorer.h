// Flat scorer: a class has its own weight vector w, and its score is w . x. Scoring all classes is
// a matrix product if the rows of weights are contiguous.
#pragma once

#include "linear/scorers/class_scorer.h"
#include "linear/weights/weight_view.h"

namespace cane {

class FlatScorer final : public ClassScorer {
 public:
  /// The layout must be flat; it and the weights must outlive the scorer.
  FlatScorer(std::uint32_t classes, const BlockLayout& layout, WeightView weights)
      : classes_(classes), layout_(&layout), weights_(weights) {}

  std::uint32_t classes() const override { return classes_; }
  bool prefers_dense_rows() const override { return layout_->is_row_major(); }
  const BlockLayout& layout() const { return *layout_; }
  const WeightView& weights() const { return weights_; }

  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      ScoringScratch& scratch, float* scores) const override;
  void score_all(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                 float* scores) const override;

 private:
  void score_in_blocks(std::span<const RowView> rows, const ClassLists& lists,
                       ScoringScratch& scratch, float* scores) const;
  void score_all_rows(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                      float* scores) const;

  std::uint32_t classes_;
  const BlockLayout* layout_;
  WeightView weights_;
};

/// Copies rows into a dense matrix with `pitch` floats per row: the features, a one for the bias,
/// zeros.
void fill_inputs(std::span<const RowView> rows, FeatureId dimension, std::size_t pitch,
                 float* inputs);

}  // namespace cane

// Scores a class by the sum along its path (Eq. h), or by its log-probability if siblings are
// normalised.
#pragma once

#include "linear/scorers/class_scorer.h"
#include "linear/scorers/flat_scorer.h"

namespace cane {

class TreeScorer final : public ClassScorer {
 public:
  explicit TreeScorer(const PathScorer& paths) : paths_(paths) {}

  std::uint32_t classes() const override { return paths_.tree().class_count(); }
  bool is_normalized() const override { return paths_.normalizes_siblings(); }
  const PathScorer& paths() const { return paths_; }

  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      ScoringScratch& scratch, float* scores) const override;
  void score_all(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                 float* scores) const override;

 private:
  PathScorer paths_;
};

/// Scores a class by its log-probability under a hierarchical softmax, the prior, plus the product
/// of its own row with the same input: log p'(k | x) + w_k . x. With all rows zero the
/// scores equal the prior, so that the rows need only learn what a tree cannot express.
class PriorScorer final : public ClassScorer {
 public:
  /// `paths` must normalise siblings.
  PriorScorer(const FlatScorer& rows, const PathScorer& paths) : rows_(rows), prior_(paths) {}

  std::uint32_t classes() const override { return rows_.classes(); }
  bool prefers_dense_rows() const override { return rows_.prefers_dense_rows(); }
  const FlatScorer& rows() const { return rows_; }
  const PathScorer& paths() const { return prior_.paths(); }

  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      ScoringScratch& scratch, float* scores) const override;
  void score_all(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                 float* scores) const override;

 private:
  FlatScorer rows_;
  TreeScorer prior_;
};

}  // namespace cane

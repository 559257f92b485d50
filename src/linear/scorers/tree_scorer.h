// Scores a class by the sum along its path (Eq. h), or by its log-probability if siblings are
// normalised.
#pragma once

#include "linear/scorers/class_scorer.h"

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

}  // namespace cane

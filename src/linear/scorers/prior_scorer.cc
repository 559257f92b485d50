#include "linear/scorers/prior_scorer.h"

#include <vector>

namespace cane {

std::uint64_t PriorScorer::score(std::span<const RowView> rows, const ClassLists& lists,
                                 ScoringScratch& scratch, float* scores) const {
  const std::uint64_t num_rows = rows_.score(rows, lists, scratch, scores);
  std::vector<float> prior(lists.classes.size());
  const std::uint64_t num_nodes = prior_.score(rows, lists, scratch, prior.data());
  for (std::size_t i = 0; i < prior.size(); ++i) scores[i] += prior[i];
  return num_rows + num_nodes;
}

void PriorScorer::score_all(std::span<const RowView> rows, ScoringScratch& scratch,
                            std::size_t pitch, float* scores) const {
  std::vector<float> prior(pitch);
  rows_.score_all(rows, scratch, pitch, scores);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    prior_.score_all(rows.subspan(e, 1), scratch, pitch, prior.data());
    for (std::uint32_t k = 0; k < classes(); ++k) scores[e * pitch + k] += prior[k];
  }
}

}  // namespace cane

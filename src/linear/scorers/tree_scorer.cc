#include "linear/scorers/tree_scorer.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace cane {

std::uint64_t TreeScorer::score(std::span<const RowView> rows, const ClassLists& lists,
                                ScoringScratch& scratch, float* scores) const {
  const ClassTree& tree = paths_.tree();
  auto& pairs = scratch.pairs;
  pairs.clear();
  for (std::uint32_t e = 0; e < lists.size(); ++e) {
    for (const ClassId label : lists.of(e)) {
      for (NodeId node = tree.leaf_of(label); node != 0;) {
        node = tree.parent(node);
        pairs.push_back({e, node, 0.0F});
      }
    }
  }
  scratch.scores.resize(pairs.size() * paths_.slot());
  const std::uint64_t rows_scored = paths_.score(rows, pairs, scratch.scores.data(), scratch.paths);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < lists.classes.size(); ++i) {
    scores[i] = 0.0F;
    for (NodeId node = tree.leaf_of(lists.classes[i]); node != 0; ++pair) {
      const NodeId parent = tree.parent(node);
      scores[i] += scratch.scores[pair * paths_.slot() + (node - tree.first_child(parent))];
      node = parent;
    }
  }
  return rows_scored;
}

void TreeScorer::score_all(std::span<const RowView> rows, ScoringScratch& scratch,
                           std::size_t pitch, float* scores) const {
  paths_.score_all(rows, scratch.scores, scratch.paths);
  const ClassTree& tree = paths_.tree();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const float* nodes = scratch.scores.data() + e * paths_.all_nodes_slot();
    float* all = scores + e * pitch;
    for (ClassId k = 0; k < tree.class_count(); ++k) all[k] = nodes[tree.leaf_of(k)];
    std::fill(all + tree.class_count(), all + pitch, -std::numeric_limits<float>::infinity());
  }
}

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

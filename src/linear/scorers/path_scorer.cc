#include "linear/scorers/path_scorer.h"

#include <algorithm>
#include <limits>

#include "core/simd/softmax_kernels.h"

namespace cane {

void PathScorer::score_node(NodeId node, std::span<const ScoreTask> tasks) const {
  weights_.score_block(*layout_, node, tasks);
  if (!normalize_siblings_) return;
  const std::uint32_t children = tree_->child_count(node);
  for (const ScoreTask& task : tasks) {
    // The scores include the node's own score, so the children must sum to that, not to one.
    const float excess = log_sum_exp(task.scores, children) - task.base;
    for (std::uint32_t child = 0; child < children; ++child) task.scores[child] -= excess;
  }
}

std::uint64_t PathScorer::score(std::span<const RowView> rows, std::span<const NodePair> pairs,
                                float* scores, PathScratch& scratch) const {
  auto& [grouping, tasks] = scratch;
  grouping.build(pairs.size(), layout_->node_bound(),
                 [&](std::size_t pair) { return pairs[pair].node; });
  if (tasks.size() < pairs.size()) tasks.resize(pairs.size());
  ScoreTask* next = tasks.data();
  for (const std::uint32_t item : grouping.items()) {
    *next++ = {rows[pairs[item].example], pairs[item].base, scores + item * slot()};
  }
  std::uint64_t rows_scored = 0;
  for (std::size_t group = 0; group < grouping.size(); ++group) {
    const NodeId node = grouping.key(group);
    const std::size_t start = grouping.start(group);
    const auto group_tasks = std::span(tasks).subspan(start, grouping.start(group + 1) - start);
    const std::uint32_t children = tree_->child_count(node);
    if (group + 1 < grouping.size()) weights_.prefetch_block(*layout_, grouping.key(group + 1));
    score_node(node, group_tasks);
    for (const ScoreTask& task : group_tasks) {
      std::fill(task.scores + children, task.scores + slot(),
                -std::numeric_limits<float>::infinity());
    }
    rows_scored += std::uint64_t{children} * group_tasks.size();
  }
  return rows_scored;
}

void PathScorer::score_all(std::span<const RowView> rows, std::vector<float>& scores,
                           PathScratch& scratch) const {
  scores.assign(rows.size() * all_nodes_slot(), 0.0F);
  for (NodeId node = 0; node < layout_->node_bound(); ++node) {
    if (tree_->is_leaf(node)) continue;
    scratch.tasks.clear();
    for (std::size_t e = 0; e < rows.size(); ++e) {
      float* all = scores.data() + e * all_nodes_slot();
      // A block's padding overlaps the children of the next node, which are written later.
      scratch.tasks.push_back({rows[e], all[node], all + tree_->first_child(node)});
    }
    score_node(node, scratch.tasks);
  }
}

}  // namespace cane

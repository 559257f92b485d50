#include "candidates/beam_search.h"

#include <algorithm>
#include <cassert>

namespace cane {
namespace {

// Taking the best one by one pays up to here.
constexpr std::uint32_t kSelectWidth = 64;

void path_from_root(const ClassTree& tree, ClassId label, std::vector<NodeId>& path) {
  path.clear();
  for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) path.push_back(node);
  path.push_back(0);
  std::reverse(path.begin(), path.end());
}

}  // namespace

void BeamSearch::search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
                        Workspace& workspace, Selection& selection) const {
  const ClassTree& tree = scorer_.tree();
  const std::size_t examples = rows.size();
  assert(keep >= 1 && keep <= width);
  width = std::min(width, tree.class_count());
  keep = std::min(keep, width);
  if (workspace.finished.size() < examples) workspace.finished.resize(examples);
  for (std::size_t e = 0; e < examples; ++e) workspace.finished[e].reset(keep);

  workspace.frontier.assign(examples, {0.0F, 0, 0});
  workspace.frontier_starts.resize(examples + 1);
  for (std::size_t e = 0; e <= examples; ++e) {
    workspace.frontier_starts[e] = static_cast<std::uint32_t>(e);
  }
  workspace.depth = 0;
  selection.clear();
  while (begin_level(examples, workspace)) {
    Level& level = workspace.levels[workspace.depth++];
    level.scores.resize(level.pairs.size() * scorer_.slot() + kReadableBehind);
    selection.rows_scored +=
        scorer_.score(rows, level.pairs, level.scores.data(), workspace.scoring);
    workspace.frontier.clear();
    for (std::uint32_t e = 0; e < examples; ++e) {
      workspace.frontier_starts[e] = static_cast<std::uint32_t>(workspace.frontier.size());
      keep_best_children(e, level, width, keep, workspace);
    }
    workspace.frontier_starts[examples] = static_cast<std::uint32_t>(workspace.frontier.size());
  }
  for (std::size_t e = 0; e < examples; ++e) {
    for (const ScoredNode& leaf : workspace.finished[e].sorted()) {
      selection.candidates.push_back({leaf.tie, leaf.score});
    }
    selection.offsets.push_back(selection.candidates.size());
  }
}

// Moves leaves of the frontier to the finished ones and makes the next level's pairs of the rest.
bool BeamSearch::begin_level(std::size_t examples, Workspace& workspace) const {
  if (workspace.levels.size() == workspace.depth) workspace.levels.emplace_back();
  Level& level = workspace.levels[workspace.depth];
  level.pairs.clear();
  level.starts.clear();
  for (std::uint32_t e = 0; e < examples; ++e) {
    level.starts.push_back(static_cast<std::uint32_t>(level.pairs.size()));
    for (std::uint32_t i = workspace.frontier_starts[e]; i < workspace.frontier_starts[e + 1];
         ++i) {
      const ScoredNode& entry = workspace.frontier[i];
      if (scorer_.tree().is_leaf(entry.node)) {
        workspace.finished[e].offer(entry);
      } else {
        level.pairs.push_back({e, entry.node, entry.score});
      }
    }
  }
  level.starts.push_back(static_cast<std::uint32_t>(level.pairs.size()));
  return !level.pairs.empty();
}

void BeamSearch::keep_best_children(std::uint32_t example, const Level& level, std::uint32_t width,
                                    std::uint32_t keep, Workspace& workspace) const {
  const ClassTree& tree = scorer_.tree();
  auto& blocks = workspace.blocks;
  blocks.clear();
  bool all_leaves = true;
  for (std::uint32_t pair = level.starts[example]; pair < level.starts[example + 1]; ++pair) {
    const NodeId node = level.pairs[pair].node;
    const NodeId first = tree.first_child(node);
    blocks.push_back({level.scores.data() + pair * scorer_.slot(), tree.lowest_classes(first),
                      tree.child_count(node)});
    all_leaves = all_leaves && first >= scorer_.layout().node_bound();
  }
  if (blocks.empty()) return;
  // Nothing comes below leaves, so of these only what is returned in the end must be kept.
  const std::uint32_t kept = all_leaves ? keep : width;
  const NodePair* pairs = level.pairs.data() + level.starts[example];
  if (kept <= kSelectWidth) {
    workspace.choices.resize(kept);
    const std::uint32_t chosen =
        select_best(blocks, kept, workspace.scratch, workspace.choices.data());
    for (const Choice& choice : std::span(workspace.choices).first(chosen)) {
      const NodeId node = tree.first_child(pairs[choice.block].node) + choice.child;
      workspace.frontier.push_back({choice.score, tree.lowest_class(node), node});
    }
    return;
  }
  workspace.best.reset(kept);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const NodeId first = tree.first_child(pairs[block].node);
    for (std::uint32_t child = 0; child < blocks[block].count; ++child) {
      workspace.best.offer({blocks[block].scores[child], blocks[block].ties[child], first + child});
    }
  }
  const auto best = workspace.best.sorted();
  workspace.frontier.insert(workspace.frontier.end(), best.begin(), best.end());
}

// The score of the deepest node of `path` that the search scored, and how many edges lead to it.
float BeamSearch::follow_visited(std::uint32_t example, std::span<const NodeId> path,
                                 const Workspace& workspace, std::size_t& followed) const {
  float score = 0.0F;
  for (followed = 0; followed + 1 < path.size() && followed < workspace.depth; ++followed) {
    const Level& level = workspace.levels[followed];
    std::uint32_t pair = level.starts[example];
    const std::uint32_t end = level.starts[example + 1];
    while (pair < end && level.pairs[pair].node != path[followed]) ++pair;
    if (pair == end) break;
    const NodeId child = path[followed + 1] - scorer_.tree().first_child(path[followed]);
    score = level.scores[pair * scorer_.slot() + child];
  }
  return score;
}

std::uint64_t BeamSearch::score_classes(std::span<const RowView> rows,
                                        std::span<const Request> requests, Workspace& workspace,
                                        float* scores) const {
  const ClassTree& tree = scorer_.tree();
  auto& path = workspace.path;
  auto& missing = workspace.missing;
  auto& edges = workspace.missing_edges;
  missing.clear();
  edges.clear();
  for (std::size_t request = 0; request < requests.size(); ++request) {
    const std::uint32_t example = requests[request].example;
    path_from_root(tree, requests[request].label, path);
    std::size_t edge = 0;
    scores[request] = follow_visited(example, path, workspace, edge);
    for (; edge + 1 < path.size(); ++edge) {
      missing.push_back({example, path[edge], 0.0F});
      edges.push_back({request, path[edge + 1] - tree.first_child(path[edge])});
    }
  }
  workspace.missing_scores.resize(missing.size() * scorer_.slot());
  const std::uint64_t rows_scored =
      scorer_.score(rows, missing, workspace.missing_scores.data(), workspace.scoring);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    scores[edges[i].request] += workspace.missing_scores[i * scorer_.slot() + edges[i].child];
  }
  return rows_scored;
}

}  // namespace cane

#include "search/beam_search.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/simd/select_best.h"
#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

void path_from_root(const ClassTree& tree, ClassId class_id, std::vector<NodeId>& path) {
  path.clear();
  for (NodeId node = tree.leaf_of(class_id); node != 0; node = tree.parent(node))
    path.push_back(node);
  path.push_back(0);
  std::reverse(path.begin(), path.end());
}

class BeamNoise final : public FrontierNoise {
 public:
  BeamNoise(const BeamSearch& search, std::span<const std::uint32_t> below)
      : FrontierNoise(search.scorer().tree(), below), search_(search) {}

 private:
  void collect(std::uint32_t example, std::vector<Part>& parts) override {
    search_.for_each_frontier(example, [&](NodeId node, float score) {
      parts.push_back({node, score});
    });
  }

  const BeamSearch& search_;
};

class BeamWorker final : public Selector::Worker {
 public:
  BeamWorker(const TreeScorer& scorer, std::span<const std::uint32_t> below)
      : Worker(scorer), search_(scorer.paths()), noise_(search_, below) {}

  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/, std::uint32_t width,
              std::uint32_t keep, Selection& selection) override {
    search_.search(rows, width, keep, selection);
  }
  // Score only the pairs that the search did not visit.
  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      float* scores) override {
    return search_.score_classes(rows, lists, scores);
  }
  NoiseSource& noise() override { return noise_; }

 private:
  BeamSearch search_;
  BeamNoise noise_;
};

}  // namespace

std::unique_ptr<Selector::Worker> BeamSelector::make_worker() const {
  return std::make_unique<BeamWorker>(scorer_, below_);
}

void BeamSearch::search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
                        Selection& selection, float margin) {
  margin_ = margin;
  const ClassTree& tree = scorer_.tree();
  const std::size_t examples = rows.size();
  assert(keep >= 1 && keep <= width);
  width = std::min(width, tree.class_count());
  keep = std::min(keep, width);
  if (finished_.size() < examples) finished_.resize(examples);
  for (std::size_t e = 0; e < examples; ++e) finished_[e].reset(keep);
  selection.clear();

  if (levels_.empty()) levels_.emplace_back();
  Level& root = levels_[0];
  root.pairs.clear();
  for (std::uint32_t e = 0; e < examples; ++e) root.pairs.push_back({e, 0, 0.0F});
  root.starts.resize(examples + 1);
  std::iota(root.starts.begin(), root.starts.end(), 0U);
  for (depth_ = 0; !levels_[depth_].pairs.empty(); ++depth_) {
    if (levels_.size() == depth_ + 1) levels_.emplace_back();
    Level& level = levels_[depth_];
    Level& next = levels_[depth_ + 1];
    const std::size_t floats = level.pairs.size() * scorer_.slot();
    if (level.scores.size() < floats) level.scores.resize(floats);
    selection.rows_scored += scorer_.score(rows, level.pairs, level.scores.data(), scratch_);
    next.pairs.clear();
    next.starts.clear();
    for (std::uint32_t e = 0; e < examples; ++e) {
      next.starts.push_back(static_cast<std::uint32_t>(next.pairs.size()));
      keep_best_children(e, width, keep, level, next);
    }
    next.starts.push_back(static_cast<std::uint32_t>(next.pairs.size()));
  }
  for (std::size_t e = 0; e < examples; ++e) {
    for (const ScoredNode& leaf : finished_[e].sorted()) {
      selection.candidates.push_back({leaf.tie, leaf.score});
    }
    selection.offsets.push_back(selection.candidates.size());
  }
}

void BeamSearch::keep_best_children(std::uint32_t example, std::uint32_t width, std::uint32_t keep,
                                    const Level& level, Level& next) {
  const ClassTree& tree = scorer_.tree();
  const std::size_t slot = scorer_.slot();
  const std::uint32_t begin = level.starts[example];
  const std::uint32_t end = level.starts[example + 1];
  std::uint32_t children = 0;
  bool all_leaves = true;
  for (std::uint32_t pair = begin; pair < end; ++pair) {
    const NodeId node = level.pairs[pair].node;
    children += tree.child_count(node);
    all_leaves = all_leaves && tree.first_child(node) >= scorer_.layout().node_bound();
  }
  // Leaves have no children, so only as many are kept as will be returned.
  const std::uint32_t kept = all_leaves ? keep : width;
  const auto scores = std::span(level.scores).subspan(begin * slot, (end - begin) * slot);
  const auto node_at = [&](std::size_t place) {
    return tree.first_child(level.pairs[begin + (place >> scorer_.slot_bits())].node) +
           static_cast<NodeId>(place & (slot - 1));
  };
  const float least = max_of(scores.data(), scores.size()) - margin_;
  // A leaf is done; any other node is replaced by its children.
  const auto keep_node = [&](NodeId node, float score) {
    if (score < least) return;
    if (node >= scorer_.layout().node_bound() || tree.is_leaf(node)) {
      finished_[example].offer({score, tree.leaf_class(node), node});
    } else {
      next.pairs.push_back({example, node, score});
    }
  };
  const auto for_each_child = [&](const auto& body) {
    for (std::uint32_t pair = begin; pair < end; ++pair) {
      const NodeId first = tree.first_child(level.pairs[pair].node);
      const float* child_scores = scores.data() + (pair - begin) * slot;
      const std::uint32_t count = tree.child_count(level.pairs[pair].node);
      for (std::uint32_t child = 0; child < count; ++child)
        body(first + child, child_scores[child]);
    }
  };
  if (children <= kept) {
    for_each_child(keep_node);
    return;
  }
  if (kept <= kSelectMost) {
    places_.resize(kept);
    if (select_best(scores, kept, places_.data())) {
      for (const std::uint32_t place : places_) keep_node(node_at(place), scores[place]);
      return;
    }
  }
  // Too many results, or ties, which select_best does not resolve.
  best_.reset(kept);
  for_each_child([&](NodeId node, float score) {
    best_.offer({score, tree.lowest_class(node), node});
  });
  for (const ScoredNode& node : best_.kept()) keep_node(node.node, node.score);
}

const float* BeamSearch::visited_children(std::uint32_t example, std::uint32_t depth, NodeId node,
                                          float& base) const {
  if (depth >= depth_) return nullptr;
  const Level& level = levels_[depth];
  for (std::uint32_t pair = level.starts[example]; pair < level.starts[example + 1]; ++pair) {
    if (level.pairs[pair].node != node) continue;
    base = level.pairs[pair].base;
    return level.scores.data() + pair * scorer_.slot();
  }
  return nullptr;
}

// Finds the deepest node of `path` that the search scored: its score, and the number of edges to
// it.
float BeamSearch::follow_visited(std::uint32_t example, std::span<const NodeId> path,
                                 std::size_t& followed) const {
  float score = 0.0F;
  float base = 0.0F;
  for (followed = 0; followed + 1 < path.size(); ++followed) {
    const float* scores =
        visited_children(example, static_cast<std::uint32_t>(followed), path[followed], base);
    if (scores == nullptr) break;
    score = scores[path[followed + 1] - scorer_.tree().first_child(path[followed])];
  }
  return score;
}

std::uint64_t BeamSearch::score_classes(std::span<const RowView> rows, const ClassLists& lists,
                                        float* scores) {
  const ClassTree& tree = scorer_.tree();
  missing_.clear();
  missing_edges_.clear();
  std::size_t request = 0;
  for (std::uint32_t example = 0; example < lists.size(); ++example) {
    for (const ClassId class_id : lists.of(example)) {
      path_from_root(tree, class_id, path_);
      std::size_t edge = 0;
      scores[request] = follow_visited(example, path_, edge);
      for (; edge + 1 < path_.size(); ++edge) {
        missing_.push_back({example, path_[edge], 0.0F});
        missing_edges_.push_back({request, path_[edge + 1] - tree.first_child(path_[edge])});
      }
      ++request;
    }
  }
  missing_scores_.resize(missing_.size() * scorer_.slot());
  const std::uint64_t rows_scored = scorer_.score(rows, missing_, missing_scores_.data(), scratch_);
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    scores[missing_edges_[i].request] +=
        missing_scores_[i * scorer_.slot() + missing_edges_[i].child];
  }
  return rows_scored;
}

}  // namespace cane

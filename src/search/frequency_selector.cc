#include "search/frequency_selector.h"

#include <algorithm>

#include "search/rerank.h"

namespace cane {
namespace {

// Draws of candidates begin here, so that they share no numbers with those of noises.
constexpr std::uint32_t kFirstDraw = 1U << 24;

}  // namespace

void FrequencySelector::select(std::span<const RowView> rows, const SelectionDraws& draws,
                               std::uint32_t /*width*/, std::uint32_t keep,
                               Selector::Workspace& workspace, Selection& selection) const {
  auto& own = static_cast<Workspace&>(workspace);
  const PathScorer& paths = tree_scorer_.paths();
  const ClassTree& tree = paths.tree();
  own.pairs.clear();
  for (std::uint32_t e = 0; e < rows.size(); ++e) own.pairs.push_back({e, 0, 0.0F});
  own.subset_scores.resize(rows.size() * paths.slot());
  selection.clear();
  selection.rows_scored =
      paths.score(rows, own.pairs, own.subset_scores.data(), own.scoring.blocks);
  own.drawn.clear();
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    const float* scores = own.subset_scores.data() + e * paths.slot();
    const auto best = std::max_element(scores, scores + tree.child_count(0)) - scores;
    draw(draws.random, draws.numbers[e], tree.first_child(0) + static_cast<NodeId>(best), keep,
         own.drawn);
    own.drawn.end_list();
  }
  own.scores.resize(own.drawn.classes.size());
  selection.rows_scored += scorer().score(rows, own.drawn, own.scoring, own.scores.data());
  rerank(own.drawn, own.scores, keep, selection);
}

// Floyd's way to draw without replacement: as many random numbers as classes drawn.
void FrequencySelector::draw(const CounterRandom& random, std::uint32_t number, NodeId subset,
                             std::uint32_t count, ClassLists& drawn) const {
  const ClassTree& tree = tree_scorer_.paths().tree();
  if (tree.is_leaf(subset)) {
    drawn.classes.push_back(tree.leaf_class(subset));
    return;
  }
  const std::uint32_t members = tree.child_count(subset);
  const NodeId first = tree.first_child(subset);
  const std::size_t begin = drawn.classes.size();
  for (std::uint32_t last = members - std::min(count, members); last < members; ++last) {
    const auto pick = static_cast<NodeId>(random.below(last + 1, number, kFirstDraw + last));
    const auto is_drawn = [&](NodeId place) {
      return std::find(drawn.classes.begin() + static_cast<std::ptrdiff_t>(begin),
                       drawn.classes.end(), tree.leaf_class(first + place)) != drawn.classes.end();
    };
    drawn.classes.push_back(tree.leaf_class(first + (is_drawn(pick) ? last : pick)));
  }
}

}  // namespace cane

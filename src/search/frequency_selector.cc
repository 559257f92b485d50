#include "search/frequency_selector.h"

#include <algorithm>
#include <vector>

namespace cane {
namespace {

// Offset of the candidate draws, so that they share no random numbers with the noise draws.
constexpr std::uint32_t kFirstDraw = 1U << 24;

class FrequencyWorker final : public Selector::Worker {
 public:
  explicit FrequencyWorker(const TreeScorer& scorer) : Worker(scorer), paths_(scorer.paths()) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t /*width*/,
              std::uint32_t keep, Selection& selection) override {
    const ClassTree& tree = paths_.tree();
    pairs_.clear();
    for (std::uint32_t e = 0; e < rows.size(); ++e) pairs_.push_back({e, 0, 0.0F});
    subset_scores_.resize(rows.size() * paths_.slot());
    selection.clear();
    selection.rows_scored = paths_.score(rows, pairs_, subset_scores_.data(), scratch().paths);
    drawn_.clear();
    for (std::uint32_t e = 0; e < rows.size(); ++e) {
      const float* scores = subset_scores_.data() + e * paths_.slot();
      const auto best = std::max_element(scores, scores + tree.child_count(0)) - scores;
      draw(draws.random, draws.numbers[e], tree.first_child(0) + static_cast<NodeId>(best), keep);
      drawn_.end_list();
    }
    scores_.resize(drawn_.classes.size());
    selection.rows_scored += scorer().score(rows, drawn_, scratch(), scores_.data());
    rerank(drawn_, scores_, keep, selection);
  }

 private:
  // Floyd's algorithm for sampling without replacement: one random number per class drawn.
  void draw(const CounterRandom& random, std::uint32_t number, NodeId subset, std::uint32_t count) {
    const ClassTree& tree = paths_.tree();
    std::vector<ClassId>& classes = drawn_.classes;
    if (tree.is_leaf(subset)) {
      classes.push_back(tree.leaf_class(subset));
      return;
    }
    const std::uint32_t members = tree.child_count(subset);
    const NodeId first = tree.first_child(subset);
    const auto begin = static_cast<std::ptrdiff_t>(classes.size());
    for (std::uint32_t last = members - std::min(count, members); last < members; ++last) {
      const auto pick = static_cast<NodeId>(random.below(last + 1, number, kFirstDraw + last));
      const bool is_drawn = std::find(classes.begin() + begin, classes.end(),
                                      tree.leaf_class(first + pick)) != classes.end();
      classes.push_back(tree.leaf_class(first + (is_drawn ? last : pick)));
    }
  }

  PathScorer paths_;
  std::vector<NodePair> pairs_;
  std::vector<float> subset_scores_;
  ClassLists drawn_;
  std::vector<float> scores_;
};

}  // namespace

std::unique_ptr<Selector::Worker> FrequencySelector::make_worker() const {
  return std::make_unique<FrequencyWorker>(scorer_);
}

}  // namespace cane

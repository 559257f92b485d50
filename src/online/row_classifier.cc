#include "online/row_classifier.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cane {
namespace {

class OnlineWorker final : public Selector::Worker {
 public:
  explicit OnlineWorker(const OnlineScorer& scorer) : Worker(scorer), scorer_(scorer) {}

  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
              std::uint32_t /*width*/, std::uint32_t keep, Selection& selection) override {
    const RowClassifier& classifier = scorer_.classifier();
    keep = std::min(keep, classifier.classes());
    selection.clear();
    std::vector<Candidate>& all = selection.candidates;
    std::vector<float>& scores = scratch().scores;
    for (const RowView& unscaled : rows) {
      const RowView row = scorer_.scaling().scale(unscaled, scratch().inputs);
      const auto begin = static_cast<std::ptrdiff_t>(selection.offsets.back());
      selection.rows_scored += classifier.look(row, keep, all);
      if (all.size() - selection.offsets.back() < keep) {
        all.resize(selection.offsets.back());
        scores.resize(scorer_.all_pitch());
        scorer_.score_all(std::span(&unscaled, 1), scratch(), scores.size(), scores.data());
        for (ClassId k = 0; k < classifier.classes(); ++k) {
          all.push_back({k, scores[k]});
        }
      }
      const auto end = all.begin() + begin + keep;
      std::partial_sort(all.begin() + begin, end, all.end(),
                        [](const auto& a, const auto& b) { return is_better(a, b); });
      all.erase(end, all.end());
      selection.offsets.push_back(all.size());
    }
  }

 private:
  const OnlineScorer& scorer_;
};

}  // namespace

OnlineScorer::OnlineScorer(std::unique_ptr<const RowClassifier> classifier, RowScaling scaling,
                           bool dense)
    : classifier_(std::move(classifier)),
      scaling_(scaling),
      dense_(dense),
      all_(classifier_->classes()) {
  std::iota(all_.begin(), all_.end(), ClassId{0});
}

std::uint64_t OnlineScorer::score(std::span<const RowView> rows, const ClassLists& lists,
                                  ScoringScratch& scratch, float* scores) const {
  std::uint64_t scored = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (lists.of(e).empty()) continue;
    const RowView row = scaling_.scale(rows[e], scratch.inputs);
    scored += classifier_->score(row, lists.of(e), scores + lists.starts[e]);
  }
  return scored;
}

void OnlineScorer::score_all(std::span<const RowView> rows, ScoringScratch& scratch,
                             std::size_t pitch, float* scores) const {
  for (std::size_t e = 0; e < rows.size(); ++e) {
    float* own = scores + e * pitch;
    classifier_->score(scaling_.scale(rows[e], scratch.inputs), all_, own);
    std::fill(own + all_.size(), own + pitch, -std::numeric_limits<float>::infinity());
  }
}

std::unique_ptr<Selector::Worker> OnlineSelector::make_worker() const {
  return std::make_unique<OnlineWorker>(scorer_);
}

}  // namespace cane

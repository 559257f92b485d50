#include "search/exact_selector.h"

#include <algorithm>
#include <vector>

#include "search/top_scores.h"

namespace cane {
namespace {

// Approximate number of scores held at a time.
constexpr std::size_t kHeldFloats = std::size_t{1} << 18;

class AllWorker final : public Selector::Worker {
 public:
  using Worker::Worker;

  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
              std::uint32_t /*width*/, std::uint32_t /*keep*/, Selection& selection) override {
    const std::size_t pitch = scorer().all_pitch();
    scores_.resize(rows.size() * pitch);
    scorer().score_all(rows, scratch(), pitch, scores_.data());
    selection.clear();
    const std::uint32_t classes = scorer().classes();
    for (std::size_t e = 0; e < rows.size(); ++e) {
      for (ClassId k = 0; k < classes; ++k) {
        selection.candidates.push_back({k, scores_[e * pitch + k]});
      }
      selection.offsets.push_back(selection.candidates.size());
    }
    selection.rows_scored = std::uint64_t{classes} * rows.size();
  }

 private:
  std::vector<float> scores_;
};

class ExactWorker final : public Selector::Worker {
 public:
  using Worker::Worker;

  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
              std::uint32_t /*width*/, std::uint32_t keep, Selection& selection) override {
    const std::size_t pitch = scorer().all_pitch();
    const std::size_t step = std::max<std::size_t>(kHeldFloats / pitch, 1);
    selection.clear();
    for (std::size_t begin = 0; begin < rows.size(); begin += step) {
      const auto part = rows.subspan(begin, std::min(step, rows.size() - begin));
      scores_.resize(part.size() * pitch);
      scorer().score_all(part, scratch(), pitch, scores_.data());
      for (std::size_t e = 0; e < part.size(); ++e) {
        const auto scores = std::span<const float>(scores_).subspan(e * pitch, pitch);
        for (const Candidate& best : top_.top_k(scores, scorer().classes(), keep)) {
          selection.candidates.push_back(best);
        }
        selection.offsets.push_back(selection.candidates.size());
      }
    }
    selection.rows_scored = std::uint64_t{scorer().classes()} * rows.size();
  }

 private:
  std::vector<float> scores_;
  TopScores top_;
};

}  // namespace

std::unique_ptr<Selector::Worker> AllSelector::make_worker() const {
  return std::make_unique<AllWorker>(scorer_);
}

std::unique_ptr<Selector::Worker> ExactSelector::make_worker() const {
  return std::make_unique<ExactWorker>(scorer_);
}

}  // namespace cane

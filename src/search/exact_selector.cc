#include "search/exact_selector.h"

#include <algorithm>

namespace cane {
namespace {

// All scores of some rows are held at once; about this many floats.
constexpr std::size_t kHeldFloats = std::size_t{1} << 18;

}  // namespace

void ExactSelector::select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
                           std::uint32_t /*width*/, std::uint32_t keep,
                           Selector::Workspace& workspace, Selection& selection) const {
  auto& own = static_cast<Workspace&>(workspace);
  const std::size_t pitch = scorer().all_pitch();
  const std::size_t step = std::max<std::size_t>(kHeldFloats / pitch, 1);
  selection.clear();
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const auto part = rows.subspan(begin, std::min(step, rows.size() - begin));
    own.scores.resize(part.size() * pitch);
    scorer().score_all(part, own.scoring, pitch, own.scores.data());
    for (std::size_t e = 0; e < part.size(); ++e) {
      const auto scores = std::span<const float>(own.scores).subspan(e * pitch, pitch);
      for (const Candidate& best : own.top.best(scores, scorer().classes(), keep)) {
        selection.candidates.push_back(best);
      }
      selection.offsets.push_back(selection.candidates.size());
    }
  }
  selection.rows_scored = std::uint64_t{scorer().classes()} * rows.size();
}

}  // namespace cane

#include "predict/batch_predictor.h"

#include <algorithm>

namespace cane {
namespace {

// Approximate number of scores that the exact normaliser holds at a time.
constexpr std::size_t kExactFloats = std::size_t{1} << 18;

}  // namespace

void BatchPredictor::normalize(Probability how, std::uint32_t noises, Workspace& workspace) const {
  const std::span<const RowView> rows = workspace.encoded;
  workspace.log_normalizers.assign(rows.size(), 0.0F);
  if (scorer_->is_normalized()) return;
  const std::span<float> results(workspace.log_normalizers);
  if (how == Probability::kEstimate) {
    estimated_log_normalizers(*workspace.search, noise_, noises, rows, workspace.selection,
                              workspace.normalizer, results);
    return;
  }
  const std::size_t step = std::max<std::size_t>(kExactFloats / scorer_->all_pitch(), 1);
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const std::size_t count = std::min(step, rows.size() - begin);
    exact_log_normalizers(*scorer_, rows.subspan(begin, count), workspace.search->scratch(),
                          workspace.normalizer, results.subspan(begin, count));
  }
}

}  // namespace cane

#include "predict/batch_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cane {
namespace {

// Approximate number of scores that the exact normaliser holds at a time.
constexpr std::size_t kExactFloats = std::size_t{1} << 18;

// No answer is certain.
constexpr double kMaxCertainty = 1.0 - 1e-6;

}  // namespace

std::uint32_t BatchPredictor::least_to_keep(Probability how, std::uint32_t width) const {
  // An estimate sums all candidates; a search of log-probabilities finds more of them the more it
  // keeps; a calibration keeps the best one above the second.
  if (how == Probability::kEstimate || is_normalized()) return width;
  return calibration_.calibration != nullptr ? std::min(width, 2U) : 1;
}

void BatchPredictor::normalize(Probability how, std::uint32_t noises, Workspace& workspace) const {
  workspace.normalizations.assign(workspace.encoded.size(), {});
  if (calibration_.calibration == nullptr) {
    compute_log_normalizers(how, noises, workspace);
    for (std::size_t e = 0; e < workspace.normalizations.size(); ++e) {
      workspace.normalizations[e].shift = workspace.log_normalizers[e].value;
      workspace.normalizations[e].error = workspace.log_normalizers[e].error;
    }
    return;
  }
  for_each_others(how, noises, workspace, [&](std::uint32_t e, const OtherClasses& others) {
    workspace.normalizations[e] = calibrated(workspace.selection.of(e), others);
    if (how == Probability::kEstimate && !is_normalized()) {
      workspace.normalizations[e].error =
          estimated_log_normalizer(e, workspace.selection, workspace.normalizer).error;
    }
  });
}

void BatchPredictor::compute_log_normalizers(Probability how, std::uint32_t noises,
                                             Workspace& workspace) const {
  const std::span<const RowView> rows = workspace.encoded;
  workspace.log_normalizers.assign(rows.size(), {});
  if (is_normalized()) return;
  const std::span<LogNormalizer> results(workspace.log_normalizers);
  if (how == Probability::kEstimate) {
    draw_noises(*workspace.search, workspace.search->noise(), noises, rows, workspace.selection,
                workspace.normalizer);
    for (std::uint32_t e = 0; e < rows.size(); ++e) {
      results[e] = estimated_log_normalizer(e, workspace.selection, workspace.normalizer);
    }
    return;
  }
  const std::size_t step = std::max<std::size_t>(kExactFloats / scorer_->all_pitch(), 1);
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const std::size_t count = std::min(step, rows.size() - begin);
    exact_log_normalizers(*scorer_, rows.subspan(begin, count), workspace.search->scratch(),
                          workspace.normalizer, results.subspan(begin, count));
  }
}

void BatchPredictor::for_each_others(Probability how, std::uint32_t noises, Workspace& workspace,
                                     const VisitOthers& visit) const {
  const auto rows = static_cast<std::uint32_t>(workspace.encoded.size());
  if (is_normalized()) {
    for (std::uint32_t e = 0; e < rows; ++e) {
      // What the best class leaves, at least as much as the second one has: rounding may leave
      // nothing.
      const auto found = workspace.selection.of(e);
      float rest = static_cast<float>(
          std::log(std::max(-std::expm1(static_cast<double>(found.front().score)), 0.0)));
      if (found.size() > 1) rest = std::max(rest, found[1].score);
      visit(e, {std::span(&rest, 1), {}, &workspace.normalizer.scaled});
    }
    return;
  }
  if (how == Probability::kEstimate) {
    draw_noises(*workspace.search, workspace.search->noise(), noises, workspace.encoded,
                workspace.selection, workspace.normalizer);
    for (std::uint32_t e = 0; e < rows; ++e) {
      visit(e, estimated_others(e, workspace.selection, workspace.normalizer));
    }
    return;
  }
  visit_exact_others(workspace, visit);
}

void BatchPredictor::visit_exact_others(Workspace& workspace, const VisitOthers& visit) const {
  const std::span<const RowView> rows = workspace.encoded;
  std::vector<float>& scores = workspace.normalizer.all_scores;
  const std::size_t pitch = scorer_->all_pitch();
  const std::size_t step = std::max<std::size_t>(kExactFloats / pitch, 1);
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const std::size_t count = std::min(step, rows.size() - begin);
    scores.resize(count * pitch);
    scorer_->score_all(rows.subspan(begin, count), workspace.search->scratch(), pitch,
                       scores.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<float> row = std::span(scores).subspan(i * pitch, scorer_->classes());
      row[workspace.selection.of(begin + i).front().class_id] =
          -std::numeric_limits<float>::infinity();
      visit(static_cast<std::uint32_t>(begin + i), {row, {}, &workspace.normalizer.scaled});
    }
  }
}

Normalization BatchPredictor::calibrated(std::span<const Candidate> found,
                                         const OtherClasses& others) const {
  const Calibration& calibration = *calibration_.calibration;
  const std::size_t group = frequency_group(calibration_.class_counts[found.front().class_id]);
  Normalization result;
  result.is_calibrated = true;
  if (!is_normalized()) result.scale = 1.0F / calibration.temperatures[group];
  const float log_others = others.log_sum(result.scale);
  const float odds = result.scale * found.front().score - log_others;
  double share = calibration.share_of(1.0 / (1.0 + std::exp(-static_cast<double>(odds))));
  if (found.size() > 1) {
    // The second class has this share of what the best one leaves, and must not get above it.
    const double second = std::exp(static_cast<double>(result.scale * found[1].score - log_others));
    share = std::max(share, second / (1.0 + second));
  }
  share = std::min(share, kMaxCertainty);
  result.log_best = static_cast<float>(std::log(share));
  result.shift = log_others - static_cast<float>(std::log1p(-share));
  return result;
}

}  // namespace cane

#include "learn/gradient_slice.h"

#include <cmath>

#include "objective/candidates_vs_noises.h"

namespace cane {

SliceTotals GradientSlice::compute(std::span<const std::uint32_t> examples,
                                   const CounterRandom& random) {
  batch_.fill(examples, random);
  SliceTotals totals;
  totals.rows_scored = batch_.rows_scored();
  totals.examples = examples.size();
  gradient_.clear();
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    const Shortlist shortlist = batch_.shortlist(e);
    score_gradient_.resize(shortlist.size());
    const float loss =
        CandidatesVsNoises()(shortlist, batch_.scores(e).data(), score_gradient_.data());
    const float weight = data_.weight(examples[e]);
    totals.loss += static_cast<double>(weight) * static_cast<double>(loss);
    totals.weight += static_cast<double>(weight);
    totals.covered += shortlist.label_at < shortlist.candidates ? 1 : 0;
    gradient_.add(e, batch_.classes(e), score_gradient_, clipped(weight, batch_.row(e)));
  }
  return totals;
}

// The example's weight, or less if its gradient would be too long. That is as long as its part in
// the scores times the length of (x, 1).
float GradientSlice::clipped(float weight, const RowView& row) const {
  if (clip_ == 0.0F) return weight;
  float scores = 0.0F;
  for (const float value : score_gradient_) scores += value * value;
  float features = 1.0F;
  for (std::uint32_t i = 0; i < row.count; ++i) features += row.values[i] * row.values[i];
  const float length = weight * std::sqrt(scores * features);
  return length > clip_ ? weight * clip_ / length : weight;
}

}  // namespace cane

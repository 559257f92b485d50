// Computes the logarithm of the softmax normaliser of an example, in one of two ways:
// - exact: scores every class;
// - estimate: sums the candidates plus noise classes drawn uniformly outside them, each weighted by
//   its inverse sampling probability, averaged. The estimate of the normaliser is unbiased, costs
//   only the paths of the noise classes, and is accurate when the candidates hold most of the
//   probability.
// The draws are a function of the example's features, so the same example always gets the same
// probability.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/noise/noise_source.h"
#include "search/selector.h"

namespace cane {

struct NormalizerScratch {
  std::vector<float> all_scores;
  std::vector<ClassId> excluded;
  std::vector<ClassId> noises;
  std::vector<float> log_q;
  ClassLists drawn;
  std::vector<float> scores;
};

/// Writes the exact log-normaliser of each of `rows`.
void exact_log_normalizers(const ClassScorer& scorer, std::span<const RowView> rows,
                           ScoringScratch& scoring, NormalizerScratch& scratch,
                           std::span<float> log_normalizers);

/// Writes the estimate for each of `rows`. `selector` must have just produced `selection` for them.
void estimated_log_normalizers(Selector::Worker& selector, const FixedNoise& noise,
                               std::uint32_t noises, std::span<const RowView> rows,
                               const Selection& selection, NormalizerScratch& scratch,
                               std::span<float> log_normalizers);

}  // namespace cane

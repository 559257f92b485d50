// The logarithm of the softmax's normaliser for an example, in one of two ways:
// - exact: every class is scored;
// - estimate: the candidates, plus noises drawn uniformly outside them, each divided by the
//   probability it was drawn with, averaged. It is unbiased for the normaliser, costs the noises'
//   paths only, and is close when the candidates hold most of the probability.
// The draws of the estimate are a function of the example's features, so that the same example
// always gets the same probability.
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

/// For each of `rows`.
void exact_log_normalizers(const ClassScorer& scorer, std::span<const RowView> rows,
                           ScoringScratch& scoring, NormalizerScratch& scratch,
                           std::span<float> log_normalizers);

/// After `selector` found `selection` for `rows`.
void estimated_log_normalizers(Selector::Worker& selector, const FixedNoise& noise,
                               std::uint32_t noises, std::span<const RowView> rows,
                               const Selection& selection, NormalizerScratch& scratch,
                               std::span<float> log_normalizers);

}  // namespace cane

// The logarithm of the softmax normaliser of an example, in one of two ways:
// - exact: over every class;
// - estimate: over the candidates, and over noise classes drawn outside them, each weighted by its
//   inverse sampling probability and averaged. The estimate of the normaliser is unbiased, costs
//   only the rows of the noise classes, and is accurate when the candidates hold most of the
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
  ClassLists drawn;            // noises of every example
  std::vector<float> scores;   // of these
  std::vector<float> log_q;    // and what they were drawn with
  std::vector<float> terms;    // exponents of the classes of one example
  std::vector<float> weights;  // logarithms of what counts each
  std::vector<float> scaled;
};

/// An estimate, and the standard error of its logarithm by the spread of the draws; 0 if exact.
struct LogNormalizer {
  float value = 0.0F;
  float error = 0.0F;
};

/// The classes of an example except its best one: scores, and the logarithm of the weight of each
/// in the normaliser (none: all have the weight 1).
struct OtherClasses {
  std::span<const float> scores;
  std::span<const float> log_weights;
  std::vector<float>* scratch;

  /// The logarithm of the sum of weight x exp(scale x score).
  float log_sum(float scale) const;
};

/// Writes the exact log-normaliser of each of `rows`.
void exact_log_normalizers(const ClassScorer& scorer, std::span<const RowView> rows,
                           ScoringScratch& scoring, NormalizerScratch& scratch,
                           std::span<LogNormalizer> results);

/// Draws and scores the noises of `rows`, into the scratch. `selector` must have just produced
/// `selection` for them.
void draw_noises(Selector::Worker& selector, NoiseSource& noise, std::uint32_t noises,
                 std::span<const RowView> rows, const Selection& selection,
                 NormalizerScratch& scratch);
/// Both are for an example whose noises were drawn.
LogNormalizer estimated_log_normalizer(std::uint32_t example, const Selection& selection,
                                       const NormalizerScratch& scratch);
OtherClasses estimated_others(std::uint32_t example, const Selection& selection,
                              NormalizerScratch& scratch);

}  // namespace cane

// The scale of the scores of class means: how much more likely the nearer centre is, and whether
// the frequencies of the classes tell something as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "linear/scorers/class_scorer.h"

namespace cane {

/// By what the scores of a method are normalised.
enum class Normalizer {
  kOfExample,  // the sum over all classes
  /// The sum over the siblings at every node of a tree, which the sums along the paths only
  /// approximate: a smaller scale is taken that is nearly as good.
  kOfNodes,
  /// One number for all examples: the scores themselves are to be log-probabilities. The loss is
  /// that of noise-contrastive estimation with uniform noises: it is the higher, the more the sums
  /// of the examples differ.
  kCommon,
};

struct BestScale {
  float scale = 0.0F;
  bool with_frequencies = false;  // the log frequencies are added to the scaled scores
  double loss_share = 1.0;        // loss at that scale, relative to a blind guess
};

/// The exact losses of a few examples at various scales.
class ScaleLosses {
 public:
  virtual ~ScaleLosses() = default;
  /// The mean loss at 2^lowest and the powers of two above it, on every step-th example. The log of
  /// the frequencies is added to the scaled scores, if that is asked for.
  virtual std::vector<double> measure(int lowest, std::size_t count, std::size_t step,
                                      bool with_frequencies) = 0;
  virtual std::size_t examples() const = 0;
  /// The loss of a blind guess.
  virtual double guess() const = 0;
};

/// The scale with the least loss. `counts`: weight of the examples of each class.
BestScale best_scale(ScaleLosses& losses, std::span<const double> counts, Normalizer normalizer);

/// Finds the scale with the least exact loss on these examples, for a model whose scores are
/// multiplied by it, and whether it pays to add the log of the frequencies. `own_changes` is added
/// to the score of each example's own class: it makes up for the example's part in the mean
/// (train/start/leave_one_out.h). `noises` counts with a common normaliser only. There must be an
/// example.
BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels, std::span<const float> own_changes,
                     std::span<const double> counts, Normalizer normalizer,
                     std::uint32_t noises = 1);

/// Number of examples to pass to best_scale for this many classes: enough, at a bounded cost.
std::size_t best_scale_sample(std::uint32_t classes);

}  // namespace cane

// The scale of the scores of class means: how much more likely the nearer centre is, and whether
// the frequencies of the classes help.
#pragma once

#include <algorithm>
#include <cmath>
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

/// Which scales are measured, 2^lowest and the powers of two above it, on every step-th example;
/// whether the log of the frequencies is added to the scaled scores.
struct ScaleTask {
  int lowest;
  std::size_t count;
  std::size_t step;
  bool with_frequencies;
};

/// The exact losses of a few examples at various scales.
class ScaleLosses {
 public:
  virtual ~ScaleLosses() = default;
  /// The mean losses.
  virtual std::vector<double> measure(const ScaleTask& task) = 0;
  virtual std::size_t examples() const = 0;
  /// The loss of a blind guess.
  virtual double guess() const = 0;
};

struct ScaleExamples {
  std::span<const RowView> rows;
  std::span<const ClassId> labels;
  /// What to add to the score of its own class: it makes up for the example's part in the mean
  /// (train/start/leave_one_out.h).
  std::span<const float> own_changes;
};

/// Calls visit(i, s, scaled, label) for the i-th of the examples that are measured and the s-th of
/// the scales, with its scaled scores. `added`: to these, unless it is empty. label_of(k) is the
/// number of class k for this scorer, kUnknownClass if it is not one of its classes.
template <typename LabelOf, typename Visit>
void for_each_scale(const ClassScorer& scorer, const ScaleExamples& examples, const ScaleTask& task,
                    std::span<const float> added, const LabelOf& label_of, const Visit& visit) {
  constexpr std::size_t kRowsOfAScale = 16;
  const std::size_t pitch = scorer.all_pitch();
  const std::size_t measured = (examples.rows.size() + task.step - 1) / task.step;
  std::vector<float> scores(kRowsOfAScale * pitch);
  std::vector<float> scaled(scorer.classes());
  std::vector<RowView> rows;
  ScoringScratch scratch;
  for (std::size_t begin = 0; begin < measured; begin += kRowsOfAScale) {
    const std::size_t end = std::min(begin + kRowsOfAScale, measured);
    rows.clear();
    for (std::size_t i = begin; i < end; ++i) rows.push_back(examples.rows[i * task.step]);
    scorer.score_all(rows, scratch, pitch, scores.data());
    for (std::size_t i = begin; i < end; ++i) {
      float* of_example = scores.data() + (i - begin) * pitch;
      const ClassId label = label_of(examples.labels[i * task.step]);
      if (label != kUnknownClass) of_example[label] += examples.own_changes[i * task.step];
      for (std::size_t s = 0; s < task.count; ++s) {
        const float scale = std::ldexp(1.0F, task.lowest + static_cast<int>(s));
        for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] = scale * of_example[k];
        for (std::size_t k = 0; k < added.size(); ++k) scaled[k] += added[k];
        visit(i, s, std::span<const float>(scaled), label);
      }
    }
  }
}

/// Sums of losses as means of the examples that are measured; a loss that is no number is infinite.
std::vector<double> mean_losses(std::vector<double> sums, std::size_t examples,
                                const ScaleTask& task);

/// The scale with the least loss. `counts`: weight of the examples of each class.
BestScale best_scale(ScaleLosses& losses, std::span<const double> counts, Normalizer normalizer);

/// Finds the scale with the least exact loss on these examples, for a model whose scores are
/// multiplied by it, and whether it pays to add the log of the frequencies. `noises` counts with a
/// common normaliser only. There must be an example.
BestScale best_scale(const ClassScorer& scorer, const ScaleExamples& examples,
                     std::span<const double> counts, Normalizer normalizer,
                     std::uint32_t noises = 1);

/// Number of examples to pass to best_scale for this many classes: enough, at a bounded cost.
std::size_t best_scale_sample(std::uint32_t classes);

}  // namespace cane

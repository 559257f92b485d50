#include "train/start/best_scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

constexpr std::size_t kMaxExamples = 2000;
constexpr std::size_t kFewestExamples = 50;
constexpr std::size_t kMaxScores = 4'000'000;
// Of the way from a blind guess to the best scale, so much is given up for modest scores.
constexpr double kTolerance = 0.05;
// Scales are powers of two between 2^-kLargestExponent and 2^kLargestExponent.
constexpr int kLargestExponent = 20;

}  // namespace

std::size_t best_scale_sample(std::uint32_t classes) {
  return std::clamp(kMaxScores / classes, kFewestExamples, kMaxExamples);
}

BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels) {
  const std::size_t pitch = scorer.all_pitch();
  const std::uint32_t classes = scorer.classes();
  std::vector<float> scores(pitch);
  std::vector<float> scaled(classes);
  std::vector<double> losses(2 * kLargestExponent + 1, 0.0);
  ScoringScratch scratch;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    scorer.score_all(rows.subspan(e, 1), scratch, pitch, scores.data());
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const float scale = std::ldexp(1.0F, static_cast<int>(i) - kLargestExponent);
      for (std::uint32_t k = 0; k < classes; ++k) scaled[k] = scale * scores[k];
      losses[i] += static_cast<double>(log_sum_exp(scaled.data(), classes) - scaled[labels[e]]);
    }
  }
  for (double& loss : losses) loss /= static_cast<double>(rows.size());
  // The means have seen these examples: where classes are far apart the loss only falls with the
  // scale, so take the first that is nearly as good as the best.
  const double least = *std::min_element(losses.begin(), losses.end());
  const double guess = std::log(static_cast<double>(classes));
  const auto good = std::find_if(losses.begin(), losses.end(), [&](double loss) {
    return loss <= least + kTolerance * std::max(guess - least, 0.0);
  });
  return {std::ldexp(1.0F, static_cast<int>(good - losses.begin()) - kLargestExponent),
          guess > 0.0 ? *good / guess : 0.0};
}

}  // namespace cane

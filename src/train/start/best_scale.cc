#include "train/start/best_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/simd/softmax_kernels.h"
#include "train/start/nearest_centres.h"

namespace cane {
namespace {

constexpr std::size_t kMaxExamples = 2000;
constexpr std::size_t kFewestExamples = 50;
constexpr std::size_t kMaxScores = 4'000'000;
// If no example is mistaken, the loss only falls with the scale. So a scale is taken for the best
// if all larger ones together gain less than this share of the improvement over a blind guess.
constexpr double kTolerance = 0.002;
// The same where the scores are normalised at every node.
constexpr double kHierarchicalTolerance = 0.05;
// Frequencies of classes are taken into account if that gains this share of a blind guess's loss.
constexpr double kFrequencyGain = 0.005;
// They are tried if the most frequent class has this many times the examples of the mean one.
constexpr double kSkewed = 2.0;
// The scales that are measured are powers of two from 2^-kLargestExponent to 2^kLargestExponent:
// all of them on one example in so many, then the best of them and its neighbours on all examples.
constexpr int kLargestExponent = 20;
constexpr std::size_t kOneIn = 8;

struct ScaleLoss {
  double exponent = 0.0;
  double loss = 0.0;
};

// The smallest exponent whose loss is nearly the least.
int first_good(ScaleLosses& search, bool with_frequencies, double tolerance) {
  const std::size_t step = search.examples() / kOneIn >= kFewestExamples ? kOneIn : 1;
  const std::vector<double> losses =
      search.measure({-kLargestExponent, 2 * kLargestExponent + 1, step, with_frequencies});
  // Large scores may have no loss at large scales; without any loss no scale is better.
  const double lowest = *std::min_element(losses.begin(), losses.end());
  if (!std::isfinite(lowest)) return 0;
  const double enough = lowest + tolerance * std::max(search.guess() - lowest, 0.0);
  const auto good =
      std::find_if(losses.begin(), losses.end(), [&](double loss) { return loss <= enough; });
  return static_cast<int>(good - losses.begin()) - kLargestExponent;
}

ScaleLoss least_loss(ScaleLosses& search, bool with_frequencies, double tolerance) {
  const int lowest = first_good(search, with_frequencies, tolerance) - 1;
  const std::vector<double> losses = search.measure({lowest, 3, 1, with_frequencies});
  ScaleLoss best = {static_cast<double>(lowest + 1), losses[1]};
  const double fall = losses[0] - losses[1];
  const double rise = losses[2] - losses[1];
  // By the parabola through the three: the loss is convex in the scale.
  if (fall > 0.0 && rise > 0.0 && std::isfinite(fall + rise)) {
    const double move = 0.5 * (fall - rise) / (fall + rise);
    best.exponent += move;
    best.loss -= 0.25 * (fall - rise) * move;
  }
  return best;
}

class LossesOfScorer final : public ScaleLosses {
 public:
  LossesOfScorer(const ClassScorer& scorer, const ScaleExamples& examples,
                 std::span<const double> counts, Normalizer normalizer, std::uint32_t noises)
      : scorer_(scorer),
        examples_(examples),
        counts_(counts),
        is_common_(normalizer == Normalizer::kCommon),
        log_noises_(std::log(static_cast<float>(noises))) {}

  std::size_t examples() const override { return examples_.rows.size(); }

  double guess() const override {
    if (!is_common_) return std::log(static_cast<double>(scorer_.classes()));
    const double noises = std::exp(static_cast<double>(log_noises_));
    return std::log1p(noises) + noises * std::log1p(1.0 / noises);
  }

  std::vector<double> measure(const ScaleTask& task) override {
    using Scores = std::span<const float>;
    if (!is_common_) {
      return mean(task, [](std::size_t, Scores scaled, ClassId label) {
        return log_sum_exp(scaled.data(), scaled.size()) - scaled[label];
      });
    }
    // The log of the common normaliser at each scale.
    const std::vector<double> common = mean(task, [](std::size_t, Scores scaled, ClassId) {
      return log_sum_exp(scaled.data(), scaled.size());
    });
    return mean(task, [&](std::size_t s, Scores scaled, ClassId label) {
      return contrast_loss(scaled, label, common[s]);
    });
  }

 private:
  // The mean of value(s, scaled scores, label) at each scale.
  template <typename Value>
  std::vector<double> mean(const ScaleTask& task, const Value& value) {
    const std::vector<float> added =
        task.with_frequencies ? log_frequencies(counts_) : std::vector<float>();
    std::vector<double> sums(task.count, 0.0);
    for_each_scale(
        scorer_, examples_, task, added, [](ClassId label) { return label; },
        [&](std::size_t, std::size_t s, std::span<const float> scaled, ClassId label) {
          sums[s] += static_cast<double>(value(s, scaled, label));
        });
    return mean_losses(std::move(sums), examples(), task);
  }

  // The expected loss of noise-contrastive estimation with noises drawn uniformly.
  double contrast_loss(std::span<const float> scaled, ClassId label, double log_normalizer) const {
    // Below this log-odds a noise costs nothing that a sum of floats would show.
    constexpr float kNone = -16.0F;
    const auto classes = static_cast<float>(scaled.size());
    const float shift = static_cast<float>(log_normalizer) + log_noises_ - std::log(classes);
    const auto log_one_plus_exp = [](float t) {
      return t > 0.0F ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t));
    };
    double noises = 0.0;
    for (const float score : scaled) {
      const float odds = score - shift;
      if (!(odds <= kNone)) noises += static_cast<double>(log_one_plus_exp(odds));
    }
    return static_cast<double>(log_one_plus_exp(shift - scaled[label])) +
           std::exp(static_cast<double>(log_noises_)) * noises / static_cast<double>(classes);
  }

  const ClassScorer& scorer_;
  ScaleExamples examples_;
  std::span<const double> counts_;
  bool is_common_;
  float log_noises_;
};

bool is_skewed(std::span<const double> counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double most = *std::max_element(counts.begin(), counts.end());
  return most * static_cast<double>(counts.size()) > kSkewed * total;
}

}  // namespace

std::vector<double> mean_losses(std::vector<double> sums, std::size_t examples,
                                const ScaleTask& task) {
  const auto measured = static_cast<double>((examples + task.step - 1) / task.step);
  for (double& sum : sums) {
    sum /= measured;
    if (std::isnan(sum)) sum = std::numeric_limits<double>::infinity();
  }
  return sums;
}

std::size_t best_scale_sample(std::uint32_t classes) {
  return std::clamp(kMaxScores / classes, kFewestExamples, kMaxExamples);
}

BestScale best_scale(ScaleLosses& losses, std::span<const double> counts, Normalizer normalizer) {
  const double guess = losses.guess();
  const double tolerance = normalizer == Normalizer::kOfNodes ? kHierarchicalTolerance : kTolerance;
  ScaleLoss best = least_loss(losses, false, tolerance);
  bool pays = false;
  if (is_skewed(counts)) {
    const ScaleLoss with = least_loss(losses, true, tolerance);
    pays = with.loss < best.loss - kFrequencyGain * guess;
    if (pays) best = with;
  }
  // A loss that is not a number counts as that of a blind guess.
  const double share = guess > 0.0 ? best.loss / guess : 0.0;
  return {static_cast<float>(std::exp2(best.exponent)), pays, std::isfinite(share) ? share : 1.0};
}

BestScale best_scale(const ClassScorer& scorer, const ScaleExamples& examples,
                     std::span<const double> counts, Normalizer normalizer, std::uint32_t noises) {
  LossesOfScorer losses(scorer, examples, counts, normalizer, noises);
  return best_scale(losses, counts, normalizer);
}

}  // namespace cane

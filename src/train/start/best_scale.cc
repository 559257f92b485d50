#include "train/start/best_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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
constexpr std::size_t kRowsAtOnce = 16;

struct ScaleLoss {
  double exponent = 0.0;
  double loss = 0.0;
};

class Search {
 public:
  Search(const ClassScorer& scorer, std::span<const RowView> rows, std::span<const ClassId> labels,
         std::span<const float> own_changes)
      : scorer_(scorer),
        rows_(rows),
        labels_(labels),
        own_changes_(own_changes),
        pitch_(scorer.all_pitch()),
        scores_(kRowsAtOnce * pitch_),
        scaled_(scorer.classes()) {}

  /// With these numbers added to the scaled scores; empty: none.
  ScaleLoss least(std::span<const float> added, double tolerance) {
    const int lowest = first_good(added, tolerance) - 1;
    const std::vector<double> losses = measure(lowest, 3, 1, added);
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

  double guess() const { return std::log(static_cast<double>(scorer_.classes())); }

 private:
  // The smallest exponent whose loss is nearly the least.
  int first_good(std::span<const float> added, double tolerance) {
    const std::size_t step = rows_.size() / kOneIn >= kFewestExamples ? kOneIn : 1;
    const std::vector<double> losses =
        measure(-kLargestExponent, 2 * kLargestExponent + 1, step, added);
    // Large scores may have no loss at large scales; without any loss no scale is better.
    const double lowest = *std::min_element(losses.begin(), losses.end());
    if (!std::isfinite(lowest)) return 0;
    const double enough = lowest + tolerance * std::max(guess() - lowest, 0.0);
    const auto good =
        std::find_if(losses.begin(), losses.end(), [&](double loss) { return loss <= enough; });
    return static_cast<int>(good - losses.begin()) - kLargestExponent;
  }

  // The mean loss at 2^lowest and the powers of two above it, on every step-th example.
  std::vector<double> measure(int lowest, std::size_t count, std::size_t step,
                              std::span<const float> added) {
    std::vector<double> losses(count, 0.0);
    std::vector<std::size_t> examples;
    for (std::size_t e = 0; e < rows_.size(); e += step) examples.push_back(e);
    std::vector<RowView> together;
    for (std::size_t begin = 0; begin < examples.size(); begin += kRowsAtOnce) {
      const std::size_t end = std::min(begin + kRowsAtOnce, examples.size());
      together.clear();
      for (std::size_t i = begin; i < end; ++i) together.push_back(rows_[examples[i]]);
      scorer_.score_all(together, scratch_, pitch_, scores_.data());
      for (std::size_t i = begin; i < end; ++i) {
        add_losses(examples[i], scores_.data() + (i - begin) * pitch_, lowest, added, losses);
      }
    }
    for (double& loss : losses) {
      loss /= static_cast<double>(examples.size());
      if (std::isnan(loss)) loss = std::numeric_limits<double>::infinity();
    }
    return losses;
  }

  void add_losses(std::size_t example, float* scores, int lowest, std::span<const float> added,
                  std::vector<double>& losses) {
    const std::uint32_t classes = scorer_.classes();
    const ClassId label = labels_[example];
    scores[label] += own_changes_[example];
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const float scale = std::ldexp(1.0F, lowest + static_cast<int>(i));
      for (std::uint32_t k = 0; k < classes; ++k) scaled_[k] = scale * scores[k];
      for (std::uint32_t k = 0; k < added.size(); ++k) scaled_[k] += added[k];
      losses[i] += static_cast<double>(log_sum_exp(scaled_.data(), classes) - scaled_[label]);
    }
  }

  const ClassScorer& scorer_;
  std::span<const RowView> rows_;
  std::span<const ClassId> labels_;
  std::span<const float> own_changes_;
  std::size_t pitch_;
  std::vector<float> scores_;
  std::vector<float> scaled_;
  ScoringScratch scratch_;
};

bool is_skewed(std::span<const double> counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double most = *std::max_element(counts.begin(), counts.end());
  return most * static_cast<double>(counts.size()) > kSkewed * total;
}

}  // namespace

std::size_t best_scale_sample(std::uint32_t classes) {
  return std::clamp(kMaxScores / classes, kFewestExamples, kMaxExamples);
}

BestScale best_scale(const ClassScorer& scorer, std::span<const RowView> rows,
                     std::span<const ClassId> labels, std::span<const float> own_changes,
                     std::span<const double> counts, bool hierarchical) {
  Search search(scorer, rows, labels, own_changes);
  const double guess = search.guess();
  const double tolerance = hierarchical ? kHierarchicalTolerance : kTolerance;
  ScaleLoss best = search.least({}, tolerance);
  bool pays = false;
  if (is_skewed(counts)) {
    const ScaleLoss with = search.least(log_frequencies(counts), tolerance);
    pays = with.loss < best.loss - kFrequencyGain * guess;
    if (pays) best = with;
  }
  // A loss that is no number tells nothing: that is as good as a blind guess.
  const double share = guess > 0.0 ? best.loss / guess : 0.0;
  return {static_cast<float>(std::exp2(best.exponent)), pays, std::isfinite(share) ? share : 1.0};
}

}  // namespace cane

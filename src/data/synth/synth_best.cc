#include "data/synth/synth_best.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace cane {
namespace {

constexpr std::size_t kExamplesPerTask = 64;
constexpr std::size_t kTile = 8;  // classes scored together

std::vector<double> constant_terms(const SynthLaw& law) {
  const double variance = law.options().noise * law.options().noise;
  std::vector<double> terms(law.options().classes);
  for (ClassId label = 0; label < terms.size(); ++label) {
    double squares = 0.0;
    for (const float value : law.centre(label)) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    terms[label] = std::log(law.frequency(label)) - squares / (2.0 * variance);
  }
  return terms;
}

// A thread's examples, and the best class of each so far. Two examples are scored at a time
// against a tile of classes that lie side by side, so that every centre is loaded once for both.
class Scorer {
 public:
  Scorer(const SynthLaw& law, std::span<const double> constant_terms)
      : law_(law),
        constant_terms_(constant_terms),
        dimension_(law.options().dimension),
        precision_(1.0 / (law.options().noise * law.options().noise)),
        examples_(kExamplesPerTask * dimension_),
        row_(dimension_),
        tile_(kTile * dimension_) {}

  std::uint64_t count_correct(std::uint64_t begin, std::uint64_t end) {
    const std::size_t count = end - begin;
    std::vector<ClassId> labels(kExamplesPerTask, 0);
    std::ranges::fill(examples_, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      labels[i] = law_.label(SynthSplit::kTest, begin + i);
      law_.features(SynthSplit::kTest, begin + i, labels[i], row_);
      std::ranges::copy(row_, examples_.begin() + static_cast<std::ptrdiff_t>(i * dimension_));
    }
    std::ranges::fill(best_scores_, -std::numeric_limits<double>::infinity());
    for (ClassId first = 0; first < law_.options().classes; first += kTile) {
      const auto classes = std::min<std::size_t>(kTile, law_.options().classes - first);
      load_tile(first, classes);
      for (std::size_t i = 0; i < count; i += 2) score_pair(i, first, classes);
    }
    std::uint64_t correct = 0;
    for (std::size_t i = 0; i < count; ++i) correct += best_[i] == labels[i] ? 1U : 0U;
    return correct;
  }

 private:
  void load_tile(ClassId first, std::size_t classes) {
    for (std::size_t j = 0; j < classes; ++j) {
      const auto centre = law_.centre(first + static_cast<ClassId>(j));
      for (std::size_t i = 0; i < dimension_; ++i) {
        tile_[i * kTile + j] = static_cast<double>(centre[i]);
      }
    }
  }

  void score_pair(std::size_t example, ClassId first, std::size_t classes) {
    const double* left = examples_.data() + example * dimension_;
    const double* right = left + dimension_;
    double left_sums[kTile] = {};
    double right_sums[kTile] = {};
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double* centres = tile_.data() + i * kTile;
      for (std::size_t j = 0; j < kTile; ++j) {
        left_sums[j] += left[i] * centres[j];
        right_sums[j] += right[i] * centres[j];
      }
    }
    for (std::size_t j = 0; j < classes; ++j) {
      const ClassId label = first + static_cast<ClassId>(j);
      offer(example, label, left_sums[j] * precision_ + constant_terms_[label]);
      offer(example + 1, label, right_sums[j] * precision_ + constant_terms_[label]);
    }
  }

  void offer(std::size_t example, ClassId label, double score) {
    if (score <= best_scores_[example]) return;
    best_scores_[example] = score;
    best_[example] = label;
  }

  const SynthLaw& law_;
  std::span<const double> constant_terms_;
  std::size_t dimension_;
  double precision_;
  std::vector<double> examples_;
  std::vector<float> row_;
  std::vector<double> tile_;  // dimension x kTile
  double best_scores_[kExamplesPerTask] = {};
  ClassId best_[kExamplesPerTask] = {};
};

}  // namespace

std::uint64_t count_best_correct(const SynthLaw& law, ThreadPool& pool) {
  const std::uint64_t examples = law.size(SynthSplit::kTest);
  const auto terms = constant_terms(law);
  std::vector<std::uint64_t> correct((examples + kExamplesPerTask - 1) / kExamplesPerTask);
  std::vector<Scorer> scorers(static_cast<std::size_t>(pool.threads()), Scorer(law, terms));
  pool.run(correct.size(), [&](std::size_t task, int worker) {
    const std::uint64_t begin = task * kExamplesPerTask;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kExamplesPerTask, examples);
    correct[task] = scorers[static_cast<std::size_t>(worker)].count_correct(begin, end);
  });
  return std::accumulate(correct.begin(), correct.end(), std::uint64_t{0});
}

}  // namespace cane

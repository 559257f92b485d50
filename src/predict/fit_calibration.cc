#include "predict/fit_calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/objective/exponentials.h"
#include "predict/isotonic.h"
#include "predict/measures.h"

namespace cane {
namespace {

// Inverse temperatures that are tried: powers of kGridRatio around 1. The isotonic regression makes
// up for what is lost between them.
constexpr std::size_t kGridSide = 12;
constexpr std::size_t kGridSize = 2 * kGridSide + 1;
constexpr double kGridRatio = 1.15;

// A group with fewer examples has the temperature of all together.
constexpr std::uint64_t kMinInGroup = 200;
// A point of the calibration stands for at least kMinInBlock examples, and for this share of
// all.
constexpr std::uint64_t kMinInBlock = 20;
constexpr std::uint64_t kMaxBlocks = 40;
// Scores of single classes that an exact fit may compute.
constexpr std::size_t kMaxScores = 200'000'000;
constexpr std::size_t kMinExamples = 1000;

using Grid = std::array<float, kGridSize>;

Grid make_grid() {
  Grid grid;
  for (std::size_t i = 0; i < kGridSize; ++i) {
    grid[i] = static_cast<float>(
        std::pow(kGridRatio, static_cast<double>(i) - static_cast<double>(kGridSide)));
  }
  return grid;
}

/// What an example contributes. Both arrays are over the grid.
struct ExampleFit {
  ClassId label = kUnknownClass;
  ClassId best = 0;
  std::array<float, kGridSize> odds;    // log-odds of the best class
  std::array<float, kGridSize> losses;  // -log p of the label; 0 if it is unknown
};

std::vector<std::size_t> chosen_examples(const DatasetView& data, std::size_t classes,
                                         Probability how) {
  std::size_t most = kMaxToCalibrate;
  if (how == Probability::kExact) {
    most = std::min(most, std::max(kMaxScores / classes, kMinExamples));
  }
  const std::size_t count = std::min(data.size(), most);
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = i * data.size() / count;
  return chosen;
}

class Fit {
 public:
  Fit(const BatchPredictor& predictor, const DatasetView& data, const FitOptions& options)
      : predictor_(predictor), data_(data), options_(options), grid_(make_grid()) {}

  void run(std::span<const std::size_t> examples, std::span<ExampleFit> fits,
           BatchPredictor::Workspace& workspace) const {
    const auto rows = workspace.gather.gather(data_, examples, predictor_.prefers_dense_rows());
    predictor_.search(rows, options_.beam, options_.beam, workspace);
    const std::vector<float> label_scores = score_labels(examples, workspace);
    predictor_.for_each_others(options_.probability, options_.noises, workspace,
                               [&](std::uint32_t e, const OtherClasses& others) {
                                 ExampleFit& fit = fits[e];
                                 const Candidate best = workspace.selection.of(e).front();
                                 fit.label = data_.label(examples[e]);
                                 fit.best = best.class_id;
                                 for (std::size_t i = 0; i < kGridSize; ++i) {
                                   // Log-probabilities have no temperature: the grid is all the
                                   // same point.
                                   const float scale = predictor_.is_normalized() ? 1.0F : grid_[i];
                                   const float log_others = others.log_sum(scale);
                                   fit.odds[i] = scale * best.score - log_others;
                                   const float log_normalizer = log_others + softplus(fit.odds[i]);
                                   fit.losses[i] = fit.label == kUnknownClass
                                                       ? 0.0F
                                                       : log_normalizer - scale * label_scores[e];
                                 }
                               });
  }

  const Grid& grid() const { return grid_; }

 private:
  // 0 for unknown labels.
  std::vector<float> score_labels(std::span<const std::size_t> examples,
                                  BatchPredictor::Workspace& workspace) const {
    ClassLists labels;
    for (const std::size_t example : examples) {
      const ClassId label = data_.label(example);
      if (label != kUnknownClass) labels.classes.push_back(label);
      labels.end_list();
    }
    std::vector<float> found(labels.classes.size());
    predictor_.score_classes(labels, workspace, found.data());
    std::vector<float> scores(examples.size(), 0.0F);
    for (std::size_t e = 0; e < examples.size(); ++e) {
      if (labels.starts[e + 1] > labels.starts[e]) scores[e] = found[labels.starts[e]];
    }
    return scores;
  }

  const BatchPredictor& predictor_;
  const DatasetView& data_;
  const FitOptions& options_;
  Grid grid_;
};

// Index into the grid of the least loss of the examples in a group, or of all.
std::size_t best_scale(std::span<const ExampleFit> fits, std::span<const std::size_t> groups,
                       std::size_t group) {
  std::array<double, kGridSize> losses = {};
  for (std::size_t e = 0; e < fits.size(); ++e) {
    if (group < kFrequencyGroups && groups[e] != group) continue;
    for (std::size_t i = 0; i < kGridSize; ++i) {
      losses[i] += static_cast<double>(fits[e].losses[i]);
    }
  }
  // From the middle outwards: where nothing differs, the scores stay as they are.
  std::size_t best = kGridSide;
  for (std::size_t step = 1; step <= kGridSide; ++step) {
    for (const std::size_t i : {kGridSide - step, kGridSide + step}) {
      if (losses[i] < losses[best]) best = i;
    }
  }
  return best;
}

// Scores that are too large to be compared promise nothing.
float probability_of(float log_odds) {
  return std::isnan(log_odds) ? 0.0F : 1.0F / (1.0F + std::exp(-log_odds));
}

void add_points(std::vector<Observation> observations, Calibration& calibration) {
  const std::uint64_t least =
      std::max<std::uint64_t>(kMinInBlock, observations.size() / kMaxBlocks);
  for (const IsotonicBlock& block : joined(isotonic_regression(observations), least)) {
    // Half an example on either side: nothing is certain after finitely many.
    const auto share = static_cast<float>((static_cast<double>(block.ones) + 0.5) /
                                          (static_cast<double>(block.observations) + 1.0));
    const auto x = static_cast<float>(block.x);
    if (!calibration.probabilities.empty() && x <= calibration.probabilities.back()) continue;
    calibration.probabilities.push_back(x);
    calibration.shares.push_back(
        calibration.shares.empty() ? share : std::max(share, calibration.shares.back()));
  }
}

}  // namespace

CalibrationFit fit_calibration(const BatchPredictor& predictor, const DatasetView& data,
                               std::span<const std::uint64_t> class_counts,
                               const FitOptions& options, ThreadPool& pool) {
  const std::vector<std::size_t> examples =
      chosen_examples(data, class_counts.size(), options.probability);
  const Fit fit(predictor, data, options);
  std::vector<ExampleFit> fits(examples.size());
  auto workspaces = predictor.make_workspaces(pool.threads());
  pool.run(
      (examples.size() + kPredictBatch - 1) / kPredictBatch, [&](std::size_t batch, int worker) {
        const std::size_t first = batch * kPredictBatch;
        const std::size_t count = std::min(kPredictBatch, examples.size() - first);
        fit.run(std::span(examples).subspan(first, count), std::span(fits).subspan(first, count),
                workspaces[static_cast<std::size_t>(worker)]);
      });

  CalibrationFit result;
  result.examples = fits.size();
  std::vector<std::size_t> groups(fits.size());
  for (std::size_t e = 0; e < fits.size(); ++e) {
    groups[e] = frequency_group(class_counts[fits[e].best]);
    ++result.groups[groups[e]].examples;
  }
  const std::size_t common = best_scale(fits, groups, kFrequencyGroups);
  std::array<std::size_t, kFrequencyGroups> scales;
  for (std::size_t group = 0; group < kFrequencyGroups; ++group) {
    GroupTemperature& temperature = result.groups[group];
    temperature.is_own = temperature.examples >= kMinInGroup;
    scales[group] = temperature.is_own ? best_scale(fits, groups, group) : common;
    temperature.temperature = 1.0 / static_cast<double>(fit.grid()[scales[group]]);
    result.calibration.temperatures.push_back(static_cast<float>(temperature.temperature));
  }

  std::vector<Outcome> outcomes(fits.size());
  std::vector<Observation> observations(fits.size());
  for (std::size_t e = 0; e < fits.size(); ++e) {
    outcomes[e].place = fits[e].label == fits[e].best ? 0 : kNotFound;
    outcomes[e].probability = probability_of(fits[e].odds[kGridSide]);
    observations[e] = {probability_of(fits[e].odds[scales[groups[e]]]), outcomes[e].correct()};
  }
  result.error_before = calibration_error(outcomes);
  add_points(observations, result.calibration);
  for (std::size_t e = 0; e < fits.size(); ++e) {
    outcomes[e].probability =
        static_cast<float>(result.calibration.share_of(static_cast<double>(observations[e].x)));
  }
  result.error_after = calibration_error(outcomes);
  return result;
}

}  // namespace cane

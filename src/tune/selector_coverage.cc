#include "tune/selector_coverage.h"

#include <algorithm>

#include "data/loaded_data.h"
#include "engine/method.h"
#include "engine/start_training.h"

namespace cane {
namespace {

// The same number for all settings, whatever the number of their candidates.
constexpr std::uint32_t kBest = 9;

}  // namespace

double selector_coverage(StartSource& source, const Dataset& examples, const TrainConfig& config,
                         ThreadPool& pool) {
  TrainConfig from_means = config;
  from_means.start = StartKind::kMeans;
  const Checkpoint start = start_training(source, source.data(), from_means, false, pool);
  const std::uint32_t best = std::min(kBest, config.beam);
  EvaluateOptions options;
  options.probability = Probability::kNone;
  options.top_k = {best};
  const Evaluation found =
      evaluate(make_predictor(start.model, views_of(start.state.weights)), examples.data().view,
               start.model.class_counts, search_widths(start.model, 0), options, pool);
  return found.top.at(best);
}

}  // namespace cane

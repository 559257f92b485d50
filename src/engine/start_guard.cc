#include "engine/start_guard.h"

#include <algorithm>
#include <cmath>

#include "data/loaded_data.h"
#include "engine/hold_out.h"
#include "engine/method.h"
#include "methods/config_facts.h"
#include "train/shuffle.h"

namespace cane {
namespace {

constexpr std::size_t kOneIn = 100;
constexpr std::size_t kMost = 2000;
constexpr std::size_t kFewest = 200;
// Differences above this many standard errors are significant.
constexpr double kErrors = 2.0;

}  // namespace

std::size_t guarded_examples(const DatasetView& data) {
  const std::size_t count = std::min(data.size() / kOneIn, kMost);
  return count < kFewest || wants_windows(data) ? 0 : count;
}

bool StartGuard::applies(const TrainConfig& config, const DatasetView& data) {
  const bool has_means = config.start != StartKind::kZero && !has_encoder(config) &&
                         !row_of(config.method).is_online_tree;
  return has_means && guarded_examples(data) > 0;
}

StartGuard::StartGuard(const Dataset& data, std::uint64_t seed)
    : parts_(hold_out(data, guarded_examples(data.data().view), seed)) {}

void StartGuard::measure_start(const ModelData& model, const TrainState& state, ThreadPool& pool) {
  if (model.config.start == StartKind::kMeans) start_ = accuracy(model, state, pool);
}

bool StartGuard::fell_below_start(const ModelData& model, const TrainState& state,
                                  ThreadPool& pool) {
  if (start_ == 0.0) return false;
  end_ = accuracy(model, state, pool);
  const double error =
      std::sqrt(start_ * (1.0 - start_) / static_cast<double>(parts_.second.size()));
  return end_ < start_ - kErrors * error;
}

double StartGuard::accuracy(const ModelData& model, const TrainState& state,
                            ThreadPool& pool) const {
  EvaluateOptions options;
  options.top_k = {1};
  options.probability = Probability::kNone;
  return evaluate(make_predictor(model, views_of(state.weights)), parts_.second.data().view,
                  model.class_counts, search_widths(model, 0), options, pool)
      .accuracy;
}

}  // namespace cane

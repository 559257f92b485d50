#include "engine/start_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random_permutation.h"
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

Dataset sample_of(const Dataset& data, std::uint64_t seed) {
  if (data.size() <= kMost) return data;
  const RandomPermutation place(data.size(), CounterRandom(seed, RandomPurpose::kSplit));
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < kMost; ++i) chosen.push_back(static_cast<std::uint32_t>(place(i)));
  return data.subset(chosen);
}

// The share of the class that was most frequent in training.
double accuracy_of_frequencies(const ModelData& model, std::span<const ClassId> labels) {
  const auto most = std::ranges::max_element(model.class_counts) - model.class_counts.begin();
  return static_cast<double>(std::ranges::count(labels, static_cast<ClassId>(most))) /
         static_cast<double>(labels.size());
}

// Linear discriminant analysis is the best that few examples of Gaussian classes allow, and what
// training spoils of it shows in the loss long before it does in the accuracy of a few examples.
std::optional<double> loss_on(const Dataset& data, const ModelData& model,
                              const WeightTables& weights, ThreadPool& pool) {
  if (!whitens(model.config, data.data().view.density())) return std::nullopt;
  EvaluateOptions options;
  options.top_k = {1};
  options.probability = Probability::kExact;
  return evaluate(make_predictor(model, views_of(weights)), data.data().view, model.class_counts,
                  search_widths(model, 0), options, pool)
      .log_loss;
}

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

StartGuard::StartGuard(const Dataset& data, const Dataset* validation, std::uint64_t seed)
    : parts_(validation != nullptr ? std::pair(data, sample_of(*validation, seed))
                                   : hold_out(data, guarded_examples(data.data().view), seed)) {}

void StartGuard::measure_start(const ModelData& model, const TrainState& state, ThreadPool& pool) {
  if (model.config.start != StartKind::kMeans && !state.further) return;
  start_ = accuracy_on(held_out(), model, state.weights, pool);
  start_loss_ = loss_on(held_out(), model, state.weights, pool);
}

std::optional<StartGuard::Finding> StartGuard::find_better(const ModelData& model,
                                                           const WeightTables& weights,
                                                           ThreadPool& pool) const {
  const DatasetView& view = held_out().data().view;
  const double frequent = accuracy_of_frequencies(model, view.labels());
  const bool is_start = start_ >= frequent;
  const double least = std::max(start_, frequent);
  const double end = accuracy_on(held_out(), model, weights, pool);
  const double error = std::sqrt(least * (1.0 - least) / static_cast<double>(view.size()));
  const bool is_sure = end < least - kErrors * error;
  const auto loses = [&] {
    const auto loss = loss_on(held_out(), model, weights, pool);
    return is_start && end < start_ && start_loss_ && loss && *loss > *start_loss_;
  };
  if (!is_sure && !loses()) return std::nullopt;
  return Finding{fmt::format("accuracy on {} examples that were not trained on is {:.2f}%, and {} "
                             "{:.2f}%",
                             view.size(), 100 * end,
                             is_start ? "before the first step it was"
                                      : "always the most frequent class would have",
                             100 * least),
                 is_start};
}

}  // namespace cane

#include "engine/start_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random_permutation.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/hold_out.h"
#include "engine/method.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "predict/evaluate.h"
#include "train/shuffle.h"
#include "train/start/nearest_centres.h"
#include "train/start/start.h"

namespace cane {
namespace {

constexpr std::size_t kOneIn = 100;
constexpr std::size_t kMost = 2000;
constexpr std::size_t kFewest = 200;
// Differences above this many standard errors are significant.
constexpr double kErrors = 2.0;
// The same of log losses, as a factor.
constexpr double kLossMargin = 1.02;
// Class means are measured with at most so many products, in all and for each value that the epochs
// read: training takes more for each, one for every class that an example is scored for.
constexpr double kMostProducts = 1e9;
constexpr double kProductsOfValue = 20.0;
constexpr double kLargestTable = 5e7;

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

double log_loss_of_frequencies(const ModelData& model, std::span<const ClassId> labels) {
  const auto& counts = model.class_counts;
  const std::vector<float> logs =
      log_frequencies(std::vector<double>(counts.begin(), counts.end()));
  double sum = 0.0;
  double known = 0.0;
  for (const ClassId label : labels) {
    if (label >= logs.size()) continue;
    sum += static_cast<double>(logs[label]);
    known += 1.0;
  }
  return std::log(static_cast<double>(logs.size())) - sum / std::max(known, 1.0);
}

// The class means as a model of their own, over the features: the accuracy on these examples, where
// that takes at most so many products and no large table; otherwise 0.
double accuracy_of_means(const ModelData& trained, const DatasetView& data, const Dataset& examples,
                         double most, ThreadPool& pool) {
  ModelData means;
  const auto classes = static_cast<std::uint32_t>(trained.class_counts.size());
  means.config.method = Method::kSoftmax;
  means.config.start = StartKind::kMeans;
  means.config.lr = 1.0F;
  means.config = resolve(means.config, facts_of(data, classes)).config;
  means.vocabulary.labels = trained.vocabulary.labels;
  means.class_counts = trained.class_counts;
  means.flat_width = flat_width(means.config, data.density());
  const double table = static_cast<double>(classes) * data.dimension();
  const double products = table * data.density() * static_cast<double>(examples.size());
  if (products > most || table > kLargestTable || wants_windows(data)) return 0.0;
  means.tables = make_tables(means.config, {}, classes, data.dimension(), means.flat_width);
  TrainState state = make_train_state(means.tables, means.config);
  start_weights(data, means, pool, state);
  return accuracy_on(examples, means, views_of(state.weights), pool);
}

}  // namespace

std::size_t guarded_examples(const DatasetView& data) {
  const std::size_t count = std::min(data.size() / kOneIn, kMost);
  return count < kFewest || wants_windows(data) ? 0 : count;
}

bool StartGuard::applies(const TrainConfig& config, const DatasetView& data) {
  return !is_online_tree(config) && guarded_examples(data) > 0;
}

StartGuard::StartGuard(const Dataset& data, const Dataset* validation, std::uint64_t seed)
    : parts_(validation != nullptr ? std::pair(data, sample_of(*validation, seed))
                                   : hold_out(data, guarded_examples(data.data().view), seed)) {}

void StartGuard::measure_start(const ModelData& model, const TrainState& state, ThreadPool& pool) {
  if (model.config.start != StartKind::kMeans && !state.further) return;
  start_ = accuracy_on(held_out(), model, views_of(state.weights), pool);
  start_loss_ = loss_on(held_out(), model, state.weights, pool);
}

std::optional<StartGuard::Finding> StartGuard::find_better(const ModelData& model,
                                                           const WeightTables& weights,
                                                           const DatasetView& data,
                                                           ThreadPool& pool) const {
  const DatasetView& view = held_out().data().view;
  Finding best = {"always the most frequent class would have", Better::kMostFrequent};
  double least = accuracy_of_frequencies(model, view.labels());
  const auto compare = [&](double accuracy, const char* text, Better better) {
    if (accuracy < least || (accuracy == least && better == Better::kClassMeans)) return;
    least = accuracy;
    best = {text, better};
  };
  if (start_ > 0.0) {
    compare(start_, "before the first step it was", Better::kStart);
  } else {
    const double values = static_cast<double>(data.stored_values()) * model.config.epochs;
    compare(accuracy_of_means(model, data, held_out(),
                              std::min(kMostProducts, kProductsOfValue * values), pool),
            "by the class means it would be", Better::kClassMeans);
  }
  const double end = accuracy_on(held_out(), model, views_of(weights), pool);
  const double error = std::sqrt(least * (1.0 - least) / static_cast<double>(view.size()));
  const bool is_sure = end < least - kErrors * error;
  const auto loses = [&] {
    const auto loss = loss_on(held_out(), model, weights, pool);
    return best.better == Better::kStart && end < start_ && start_loss_ && loss &&
           *loss > *start_loss_;
  };
  if (!is_sure && !loses()) return std::nullopt;
  best.text =
      fmt::format("accuracy on {} examples that were not trained on is {:.2f}%, and {} {:.2f}%",
                  view.size(), 100 * end, best.text, 100 * least);
  return best;
}

std::optional<std::string> StartGuard::find_better_probabilities(const ModelData& model,
                                                                 ThreadPool& pool) const {
  const DatasetView& view = held_out().data().view;
  EvaluateOptions options;
  options.top_k = {1};
  options.probability = resolve_probability(model, Probability::kAuto);
  const Evaluation found = evaluate(make_predictor(model, model.weights), view, model.class_counts,
                                    search_widths(model, 0), options, pool);
  const double frequencies = log_loss_of_frequencies(model, view.labels());
  if (!found.log_loss || *found.log_loss <= kLossMargin * frequencies) return std::nullopt;
  return fmt::format(
      "the log loss on {} examples that were not trained on is {:.3f}, and that of the frequencies "
      "of the classes {:.3f}",
      view.size(), *found.log_loss, frequencies);
}

}  // namespace cane

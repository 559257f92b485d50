#include "cane/predict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "api/check_data.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "data/fit.h"
#include "data/loaded_data.h"
#include "data/text/featurizer.h"
#include "data/text/line_stream.h"
#include "engine/method.h"
#include "model/model_data.h"

namespace cane {
namespace {

void check_draws(const PredictOptions& options) {
  if (options.probability != Probability::kEstimate) return;
  // A draw: its class, score and probability.
  constexpr double kBytesPerDraw = 12.0;
  const double threads = options.threads > 0 ? options.threads : available_cores();
  check_memory_of("noises", kPredictBatch * threads * options.noises * kBytesPerDraw);
}

// Looks at the first lines of a stream, and warns if they do not fit the model.
class StreamFit {
 public:
  using Warn = std::function<void(const std::string& warning)>;

  explicit StreamFit(const ModelData& model) : check_(model.vocabulary, model.row_lengths) {}

  void look(const ParsedBlock& block, const Warn& warn) {
    if (is_done_) return;
    for (std::size_t example = 0; example < block.ends.size(); ++example) {
      check_.look(block.row(example));
    }
    dropped_ += static_cast<double>(block.dropped_features);
    if (check_.rows() >= kEnough) finish(warn);
  }
  std::vector<std::string> finish(const Warn& warn) {
    if (std::exchange(is_done_, true)) return warnings_;
    warnings_ =
        check_.warnings(dropped_ / static_cast<double>(std::max<std::size_t>(check_.rows(), 1)));
    for (const std::string& warning : warnings_) warn(warning);
    return warnings_;
  }

 private:
  static constexpr std::size_t kEnough = 100;

  FitCheck check_;
  double dropped_ = 0.0;
  bool is_done_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace

struct Predictor::State {
  State(Model trained, const PredictOptions& predict_options)
      : model(std::move(trained)),
        options(predict_options),
        predictor(make_predictor(model.data(), model.data().weights)) {
    check_fields(options);
    options.probability = resolve_probability(model.data(), options.probability);
    check_draws(options);
    check_reject();
    width = std::max(options.top_k, search_widths(model.data(), options.beam).beam);
  }

  void predict(std::span<const RowView> rows, BatchPredictor::Workspace& workspace,
               std::vector<std::vector<Prediction>>& results) const {
    const bool with_probability =
        options.probability != Probability::kNone && predictor.has_probabilities();
    const std::uint32_t keep =
        with_probability
            ? std::max(options.top_k, predictor.least_to_keep(options.probability, width))
            : options.top_k;
    predictor.search(rows, width, keep, workspace);
    if (with_probability) {
      predictor.normalize(options.probability, options.noises, workspace);
    }
    results.resize(rows.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      results[e].clear();
      const auto candidates = workspace.selection.of(e);
      const std::size_t count = std::min<std::size_t>(options.top_k, candidates.size());
      for (std::size_t place = 0; place < count; ++place) {
        const Candidate& candidate = candidates[place];
        Prediction prediction = {candidate.class_id, candidate.score, 0.0F};
        if (with_probability) {
          const Normalization& normalization = workspace.normalizations[e];
          prediction.probability =
              std::exp(normalization.log_probability(candidate.score, place == 0));
          prediction.log_error = normalization.error;
        }
        results[e].push_back(prediction);
        // NaN is no confidence.
        if (place == 0 && options.reject > 0.0F && !(prediction.probability >= options.reject)) {
          results[e].front().class_id = kRejectedClass;
          break;
        }
      }
    }
  }

  void check_reject() const {
    if (options.reject == 0.0F) return;
    if (options.probability == Probability::kNone || !predictor.has_probabilities()) {
      throw OptionError("reject", "it needs probabilities",
                        predictor.has_probabilities()
                            ? "set `probability` to auto, exact or estimate"
                            : "this method has none; leave it out");
    }
  }

  // Dense and sparse rows are summed in different orders, so the choice of representation must
  // depend on the row alone.
  void predict(const ParsedBlock& block, BatchPredictor::Workspace& workspace,
               std::vector<std::vector<Prediction>>& results) const {
    const Vocabulary& vocabulary = model.data().vocabulary;
    const bool has_indices = vocabulary.feature_kind == FeatureKind::kIndices;
    const auto wants_dense = [&](const RowView& row) {
      return predictor.prefers_dense_rows() ||
             (has_indices && 2 * std::uint64_t{row.count} > vocabulary.dimension);
    };
    std::vector<RowView> rows;
    std::vector<std::vector<Prediction>> some;
    results.clear();
    for (std::size_t begin = 0; begin < block.ends.size(); begin += kPredictBatch) {
      rows.clear();
      const std::size_t end = std::min(block.ends.size(), begin + kPredictBatch);
      for (std::size_t example = begin; example < end; ++example)
        rows.push_back(block.row(example));
      predict(workspace.gather.gather(rows, vocabulary.dimension, wants_dense), workspace, some);
      std::move(some.begin(), some.end(), std::back_inserter(results));
    }
  }

  /// Created on the first text input: most predictors only receive rows.
  const Featurizer& featurizer() const {
    std::call_once(featurizer_made, [&] { made_featurizer.emplace(model.data().vocabulary); });
    return *made_featurizer;
  }

  // predict() may be called from any thread: the pool grows to the number of concurrent calls.
  std::unique_ptr<BatchPredictor::Workspace> borrow_workspace() const {
    const std::lock_guard lock(mutex);
    if (spare.empty()) {
      return std::make_unique<BatchPredictor::Workspace>(predictor.make_workspace());
    }
    auto workspace = std::move(spare.back());
    spare.pop_back();
    return workspace;
  }
  void return_workspace(std::unique_ptr<BatchPredictor::Workspace> workspace) const {
    const std::lock_guard lock(mutex);
    spare.push_back(std::move(workspace));
  }

  Model model;
  PredictOptions options;
  BatchPredictor predictor;
  std::uint32_t width = 1;
  mutable std::mutex mutex;  // guards the spare workspaces
  mutable std::vector<std::unique_ptr<BatchPredictor::Workspace>> spare;
  mutable std::once_flag featurizer_made;
  mutable std::optional<Featurizer> made_featurizer;
};

Predictor::Predictor(Model model, const PredictOptions& options)
    : state_(std::make_unique<const State>(std::move(model), options)) {}
Predictor::~Predictor() = default;

std::vector<Prediction> Predictor::predict(std::span<const Feature> features) const {
  std::vector<FeatureId> indices;
  std::vector<float> values;
  for (const Feature& feature : features) {
    if (!indices.empty() && feature.index <= indices.back()) {
      throw Error("the feature indices are not increasing; sort them and merge equal ones");
    }
    if (feature.index >= state_->model.dimension()) continue;
    indices.push_back(feature.index);
    values.push_back(feature.value);
  }
  RowWeights(state_->model.data().vocabulary).apply(indices, values);
  const RowView row = {indices.data(), values.data(), static_cast<std::uint32_t>(indices.size())};
  std::vector<std::vector<Prediction>> results;
  auto workspace = state_->borrow_workspace();
  state_->predict(std::span(&row, 1), *workspace, results);
  check_file(state_->model.data());
  state_->return_workspace(std::move(workspace));
  return results.front();
}

std::vector<Prediction> Predictor::predict(std::string_view text, Format format) const {
  const ParsedBlock block = state_->featurizer().featurize(text, format);
  std::vector<std::vector<Prediction>> results;
  auto workspace = state_->borrow_workspace();
  state_->predict(block, *workspace, results);
  check_file(state_->model.data());
  state_->return_workspace(std::move(workspace));
  return results.front();
}

ReadReport Predictor::predict_stream(
    const std::string& path, const DataOptions& options,
    const std::function<void(std::size_t example, std::span<const Prediction>)>& each,
    const std::function<void()>& pause,
    const std::function<void(const std::string& warning)>& warn) const {
  ThreadPool pool(state_->options.threads);
  const Featurizer& featurizer = state_->featurizer();
  LineStream stream(path, options, state_->model.data().vocabulary);
  auto workspaces = state_->predictor.make_workspaces(pool.threads());
  std::vector<std::vector<std::vector<Prediction>>> results;
  std::size_t example = 0;
  StreamFit fit(state_->model.data());
  while (stream.wait()) {
    // One task reads ahead while the others work, as long as there is input.
    const std::span<const TextBlock> blocks = stream.take();
    std::vector<ParsedBlock> parsed(blocks.size());
    results.resize(blocks.size());
    pool.run(blocks.size() + 1, [&](std::size_t task, int worker) {
      if (task == 0) {
        stream.read_ready(pool.threads());
        return;
      }
      parsed[task - 1] = featurizer.featurize(blocks[task - 1], stream.parser());
      state_->predict(parsed[task - 1], workspaces[static_cast<std::size_t>(worker)],
                      results[task - 1]);
    });
    check_file(state_->model.data());
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      for (const auto& best : results[block]) each(example++, best);
      stream.count(parsed[block]);
      fit.look(parsed[block], warn);
    }
    if (!stream.is_ready()) pause();
  }
  ReadReport report = stream.finish();
  report.warnings = fit.finish(warn);
  return report;
}

void Predictor::predict(
    const Dataset& data,
    const std::function<void(std::size_t example, std::span<const Prediction>)>& each) const {
  check_dimension(state_->model, data);
  const DatasetView& view = data.data().view;
  ThreadPool pool(state_->options.threads);
  // Process a few batches per thread, then emit their results in order: memory stays bounded.
  const std::size_t round = kPredictBatch * static_cast<std::size_t>(pool.threads()) * 8;
  auto workspaces = state_->predictor.make_workspaces(pool.threads());
  std::vector<std::vector<std::vector<Prediction>>> results;
  for (std::size_t begin = 0; begin < view.size(); begin += round) {
    const std::size_t end = std::min(view.size(), begin + round);
    results.resize((end - begin + kPredictBatch - 1) / kPredictBatch);
    pool.run(results.size(), [&](std::size_t batch, int worker) {
      const std::size_t first = begin + batch * kPredictBatch;
      std::vector<std::size_t> examples(std::min(kPredictBatch, end - first));
      std::iota(examples.begin(), examples.end(), first);
      auto& workspace = workspaces[static_cast<std::size_t>(worker)];
      const auto rows = workspace.gather.gather(view, std::span<const std::size_t>(examples),
                                                state_->predictor.prefers_dense_rows());
      state_->predict(rows, workspace, results[batch]);
    });
    check_file(state_->model.data());
    for (std::size_t batch = 0; batch < results.size(); ++batch) {
      for (std::size_t e = 0; e < results[batch].size(); ++e) {
        each(begin + batch * kPredictBatch + e, results[batch][e]);
      }
    }
  }
}

const std::string& Predictor::label(std::uint32_t class_id) const {
  static const std::string kUnknown = kUnknownLabel;
  return class_id == kRejectedClass ? kUnknown : state_->model.labels()[class_id];
}

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options) {
  check_data_of_model(model, data);
  check_fields(options);
  EvaluateOptions resolved = options;
  resolved.probability = resolve_probability(model.data(), options.probability);
  ThreadPool pool(options.threads);
  Evaluation evaluation = evaluate(make_predictor(model.data(), model.data().weights),
                                   data.data().view, model.data().class_counts,
                                   search_widths(model.data(), options.beam), resolved, pool);
  check_file(model.data());
  return evaluation;
}

}  // namespace cane

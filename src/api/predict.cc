#include "cane/predict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "api/check_data.h"
#include "api/feature_row.h"
#include "api/predictor_state.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "core/base/thread_pool.h"
#include "data/fit.h"
#include "data/loaded_data.h"
#include "data/reader/featurizer.h"
#include "data/reader/line_stream.h"
#include "engine/method.h"
#include "model/model_data.h"

namespace cane {
namespace {

// Looks at the first lines of a stream, and warns if they do not fit the model.
class StreamFit {
 public:
  using Warn = std::function<void(const std::string& warning)>;

  explicit StreamFit(const ModelData& model) : check_(model.vocabulary, model.row_lengths) {}

  void look(const ParsedBlock& block, const Warn& warn) {
    if (is_done_) return;
    for (std::size_t example = 0; example < block.size(); ++example) {
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

void answer_all(const ParsedBlock& block, const std::vector<std::vector<Prediction>>& best,
                std::uint64_t& example, const std::function<void(const RowAnswer&)>& each) {
  const std::size_t kept = block.kept.size() / std::max<std::size_t>(block.size(), 1);
  auto gap = block.gaps.begin();
  for (std::size_t row = 0; row < block.size(); ++row) {
    RowAnswer answer = {.example = example++,
                        .best = best[row],
                        .gap = {},
                        .kept = std::span(block.kept).subspan(row * kept, kept)};
    if (gap != block.gaps.end() && gap->example == row) {
      answer.gap = gap++->kind;
      answer.best = {};
    }
    each(answer);
  }
}

}  // namespace

Predictor::Predictor(Model model, const PredictOptions& options)
    : state_(std::make_unique<const State>(std::move(model), options)) {}
Predictor::~Predictor() = default;

std::vector<Prediction> Predictor::predict(std::span<const Feature> features) const {
  const FeatureRow given(features, state_->model.data().vocabulary);
  const RowView row = given.view();
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
    const std::function<void(const RowAnswer& answer)>& each, const std::function<void()>& pause,
    const std::function<void(const std::string& warning)>& warn) const {
  ThreadPool pool(state_->options.threads);
  const Featurizer& featurizer = state_->featurizer();
  LineStream stream(path, options, state_->model.data().vocabulary);
  auto workspaces = state_->predictor.make_workspaces(pool.threads());
  std::vector<std::vector<std::vector<Prediction>>> results;
  std::uint64_t example = 0;
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
      answer_all(parsed[block], results[block], example, each);
      stream.count(parsed[block]);
      fit.look(parsed[block], warn);
    }
    if (!stream.is_ready()) pause();
  }
  ReadReport report = stream.finish();
  for (const std::string& warning : report.warnings) warn(warning);
  std::ranges::copy(fit.finish(warn), std::back_inserter(report.warnings));
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

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options,
                    const Context& context) {
  check_data_of_model(model, data);
  check_fields(options);
  EvaluateOptions resolved = options;
  resolved.probability = resolve_probability(model.data(), options.probability);
  ThreadPool pool(options.threads);
  Evaluation evaluation =
      evaluate(make_predictor(model.data(), model.data().weights), data.data().view,
               model.data().class_counts, search_widths(model.data(), options.beam), resolved,
               {pool, context});
  check_file(model.data());
  return evaluation;
}

}  // namespace cane

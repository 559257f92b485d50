// What a Predictor keeps: the model's search and normaliser, and a workspace for each concurrent
// call.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "cane/fields.h"
#include "cane/predict.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "data/reader/featurizer.h"
#include "engine/method.h"
#include "model/model_data.h"

namespace cane {

struct Predictor::State {
  State(Model trained, const PredictOptions& predict_options)
      : model(std::move(trained)),
        options(predict_options),
        predictor(make_predictor(model.data(), model.data().weights)) {
    check_fields(options);
    options.probability = resolve_probability(model.data(), options.probability);
    check_draws();
    check_reject();
    width = std::max(options.top_k, search_widths(model.data(), options.beam).beam);
  }

  /// Calls take(example, place, prediction) for the best classes of each row, the best first.
  template <typename Take>
  void answer(std::span<const RowView> rows, BatchPredictor::Workspace& workspace,
              const Take& take) const {
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
    for (std::size_t e = 0; e < rows.size(); ++e) {
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
        // NaN is no confidence.
        const bool is_rejected =
            place == 0 && options.reject > 0.0F && !(prediction.probability >= options.reject);
        if (is_rejected) prediction.class_id = kRejectedClass;
        take(e, place, prediction);
        if (is_rejected) break;
      }
    }
  }

  void predict(std::span<const RowView> rows, BatchPredictor::Workspace& workspace,
               std::vector<std::vector<Prediction>>& results) const {
    results.resize(rows.size());
    for (auto& result : results) result.clear();
    answer(rows, workspace, [&](std::size_t e, std::size_t, const Prediction& prediction) {
      results[e].push_back(prediction);
    });
  }

  void check_draws() const {
    if (options.probability != Probability::kEstimate) return;
    // A draw: its class, score and probability.
    constexpr double kBytesPerDraw = 12.0;
    const double threads = options.threads > 0 ? options.threads : available_cores();
    check_memory_of("noises", kPredictBatch * threads * options.noises * kBytesPerDraw);
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
  std::span<const RowView> gather(std::span<const RowView> rows,
                                  BatchPredictor::Workspace& workspace) const {
    const Vocabulary& vocabulary = model.data().vocabulary;
    const bool has_indices = vocabulary.feature_kind == FeatureKind::kIndices;
    return workspace.gather.gather(rows, vocabulary.dimension, [&](const RowView& row) {
      return row.indices != nullptr &&
             (predictor.prefers_dense_rows() ||
              (has_indices && 2 * std::uint64_t{row.count} > vocabulary.dimension));
    });
  }

  void predict(const ParsedBlock& block, BatchPredictor::Workspace& workspace,
               std::vector<std::vector<Prediction>>& results) const {
    std::vector<RowView> rows;
    std::vector<std::vector<Prediction>> some;
    results.clear();
    for (std::size_t begin = 0; begin < block.ends.size(); begin += kPredictBatch) {
      rows.clear();
      const std::size_t end = std::min(block.ends.size(), begin + kPredictBatch);
      for (std::size_t example = begin; example < end; ++example)
        rows.push_back(block.row(example));
      predict(gather(rows, workspace), workspace, some);
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

}  // namespace cane

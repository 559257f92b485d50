// Predictions for rows and texts in memory, into arrays of the caller.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

#include "api/check_data.h"
#include "api/predictor_state.h"
#include "cane/error.h"
#include "cane/examples.h"
#include "cane/predict.h"
#include "data/loaded_data.h"
#include "data/memory/memory_rows.h"
#include "data/memory/memory_texts.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

constexpr const char* kName = "the data";

/// Rows [begin, end) as the model sees them, valid until the next call with the workspace.
using RowsOf = std::function<std::span<const RowView>(std::size_t begin, std::size_t end,
                                                      BatchPredictor::Workspace& workspace)>;

DataOptions without_labels() {
  DataOptions options;
  options.require_labels = false;
  return options;
}

}  // namespace

/// Runs over the examples in batches, on all threads where there is more than one batch: a thread
/// takes longer to start than a few rows to be predicted.
struct ExamplePrediction {
  const Predictor::State& state;
  const PredictionArrays& into;

  void clear(std::size_t begin, std::size_t end) const {
    const std::size_t top_k = state.options.top_k;
    std::fill(into.classes + begin * top_k, into.classes + end * top_k, kRejectedClass);
    if (into.scores != nullptr) {
      std::fill(into.scores + begin * top_k, into.scores + end * top_k,
                -std::numeric_limits<float>::infinity());
    }
    if (into.probabilities != nullptr) {
      std::fill(into.probabilities + begin * top_k, into.probabilities + end * top_k, 0.0F);
    }
  }

  void predict(std::size_t begin, std::size_t end, const RowsOf& rows_of,
               BatchPredictor::Workspace& workspace) const {
    const std::size_t top_k = state.options.top_k;
    clear(begin, end);
    state.answer(rows_of(begin, end, workspace), workspace,
                 [&](std::size_t e, std::size_t place, const Prediction& prediction) {
                   const std::size_t at = (begin + e) * top_k + place;
                   into.classes[at] = prediction.class_id;
                   if (into.scores != nullptr) into.scores[at] = prediction.score;
                   if (into.probabilities != nullptr) {
                     into.probabilities[at] = prediction.probability;
                   }
                 });
  }

  void run(std::size_t size, const RowsOf& rows_of) const {
    if (size <= kPredictBatch) {
      auto workspace = state.borrow_workspace();
      predict(0, size, rows_of, *workspace);
      state.return_workspace(std::move(workspace));
    } else {
      ThreadPool pool(state.options.threads);
      auto workspaces = state.predictor.make_workspaces(pool.threads());
      pool.run((size + kPredictBatch - 1) / kPredictBatch, [&](std::size_t batch, int worker) {
        predict(batch * kPredictBatch, std::min(size, (batch + 1) * kPredictBatch), rows_of,
                workspaces[static_cast<std::size_t>(worker)]);
      });
    }
    check_file(state.model.data());
  }

  void run(const DatasetView& view) const {
    run(view.size(), [&](std::size_t begin, std::size_t end, BatchPredictor::Workspace& workspace) {
      std::vector<std::size_t> examples(end - begin);
      std::iota(examples.begin(), examples.end(), begin);
      return workspace.gather.gather(view, std::span<const std::size_t>(examples),
                                     state.predictor.prefers_dense_rows());
    });
  }

  void operator()(const DenseRows& rows) const {
    const Vocabulary& vocabulary = state.model.data().vocabulary;
    check_feature_options(kName, false, without_labels(), &vocabulary);
    check_shape(rows, &vocabulary);
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(rows.values);
    dense.normalize = vocabulary.normalize == Normalize::kL2;
    const std::vector<ClassId> labels(rows.rows, kUnknownClass);
    const DatasetView view(dense, vocabulary.dimension, labels, {});
    run(rows.rows, [&](std::size_t begin, std::size_t end, BatchPredictor::Workspace& workspace) {
      check_values(rows, begin, end);
      std::vector<std::size_t> examples(end - begin);
      std::iota(examples.begin(), examples.end(), begin);
      return workspace.gather.gather(view, std::span<const std::size_t>(examples), false);
    });
  }

  void operator()(const SparseRows& rows) const {
    const Vocabulary& vocabulary = state.model.data().vocabulary;
    check_feature_options(kName, false, without_labels(), &vocabulary);
    check_shape(rows, &vocabulary);
    const RowWeights weights(vocabulary);
    run(rows.offsets.size() - 1, [&](std::size_t begin, std::size_t end,
                                     BatchPredictor::Workspace& workspace) {
      check_values(rows, begin, end);
      const std::uint64_t first = rows.offsets[begin];
      const auto given = rows.values.subspan(first, rows.offsets[end] - first);
      thread_local std::vector<float> values;
      values.assign(given.begin(), given.end());
      std::vector<RowView> views;
      for (std::size_t row = begin; row < end; ++row) {
        const std::uint64_t at = rows.offsets[row];
        const std::uint64_t count = rows.offsets[row + 1] - at;
        const auto own = std::span(values).subspan(at - first, count);
        weights.apply(rows.indices.subspan(at, count), own);
        views.push_back({rows.indices.data() + at, own.data(), static_cast<std::uint32_t>(count)});
      }
      return state.gather(views, workspace);
    });
  }

  void operator()(const Texts& texts) const {
    const Vocabulary& vocabulary = state.model.data().vocabulary;
    check_feature_options("the texts", true, without_labels(), &vocabulary);
    BlockParser parser = parser_for(marked_text_format(), {}, vocabulary, without_labels());
    parser.line_bytes = std::numeric_limits<std::size_t>::max();
    const Featurizer& featurizer = state.featurizer();
    run(texts.texts.size(),
        [&](std::size_t begin, std::size_t end, BatchPredictor::Workspace& workspace) {
          TextBlock lines;
          for (std::size_t i = begin; i < end; ++i) append_marked_line(texts.texts[i], lines.text);
          thread_local ParsedBlock block;
          block = featurizer.featurize(lines, parser);
          std::vector<RowView> views;
          for (std::size_t i = 0; i < end - begin; ++i) views.push_back(block.row(i));
          return state.gather(views, workspace);
        });
  }
};

void Predictor::predict(const Examples& examples, const PredictionArrays& into) const {
  std::visit(ExamplePrediction{*state_, into}, examples.features);
}

void Predictor::predict(const Dataset& data, const PredictionArrays& into) const {
  check_dimension(state_->model, data);
  ExamplePrediction{*state_, into}.run(data.data().view);
}

}  // namespace cane

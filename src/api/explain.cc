#include "cane/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "api/feature_row.h"
#include "cane/error.h"
#include "data/loaded_data.h"
#include "data/matrix/matrix.h"
#include "data/reader/featurizer.h"
#include "data/reader/line_stream.h"
#include "data/text/csv_record.h"
#include "data/text/feature_names.h"
#include "engine/method.h"
#include "model/class_vectors.h"
#include "model/model_data.h"

namespace cane {

struct Explainer::State {
  using NameOf = std::function<std::string(FeatureId feature)>;

  explicit State(Model trained)
      : model(std::move(trained)),
        predictor(make_predictor(model.data(), model.data().weights)),
        featurizer(model.data().vocabulary),
        embeddings(feature_embeddings(model.data())) {}

  // What one unit of a feature adds to the score of a class with these weights. The feature behind
  // the last is the bias.
  float weight_of(FeatureId feature, std::span<const float> weights) const {
    if (embeddings.empty()) return weights[feature];
    const std::size_t dim = weights.size() - 1;
    const auto first = embeddings.begin() + static_cast<std::ptrdiff_t>(feature * dim);
    const float bias = feature == model.dimension() ? weights[dim] : 0.0F;
    return std::inner_product(first, first + static_cast<std::ptrdiff_t>(dim), weights.begin(),
                              bias);
  }

  Explanation explain(const RowView& row, const NameOf& name_of_feature) const {
    const ModelData& data = model.data();
    auto workspace = predictor.make_workspace();
    const auto rows = workspace.gather.gather(
        std::span(&row, 1), data.vocabulary.dimension, [&](const RowView& one) {
          return one.indices != nullptr && predictor.prefers_dense_rows();
        });
    const std::uint32_t width = std::max(2U, search_widths(data, 0).beam);
    predictor.search(rows, width, 2, workspace);
    const auto best = workspace.selection.of(0);
    if (best.size() < 2) throw Error("the search found one class only; there is no second answer");

    std::vector<float> first(std::size_t{vector_size(data)} + 1);
    std::vector<float> second(first.size());
    class_vector(data, best[0].class_id, first);
    class_vector(data, best[1].class_id, second);
    Explanation result = {.first_class = best[0].class_id,
                          .second_class = best[1].class_id,
                          .first_score = best[0].score,
                          .second_score = best[1].score,
                          .contributions = {}};
    const auto add = [&](FeatureId feature, const std::string& name, float value) {
      result.contributions.push_back({.feature = name,
                                      .value = value,
                                      .first = value * weight_of(feature, first),
                                      .second = value * weight_of(feature, second)});
    };
    for (std::uint32_t i = 0; i < row.count; ++i) {
      const FeatureId feature = row.indices == nullptr ? i : row.indices[i];
      if (row.values[i] != 0.0F) add(feature, name_of_feature(feature), row.values[i]);
    }
    add(data.vocabulary.dimension, "(bias)", 1.0F);
    if (has_prior(data.config)) add_rest(result);
    std::ranges::stable_sort(result.contributions, std::greater(),
                             [](const Contribution& one) { return std::abs(one.difference()); });
    return result;
  }

  // What the scores have in addition to the sums over the features.
  static void add_rest(Explanation& result) {
    Contribution rest = {.feature = "(prior)",
                         .value = 1.0F,
                         .first = result.first_score,
                         .second = result.second_score};
    for (const Contribution& one : result.contributions) {
      rest.first -= one.first;
      rest.second -= one.second;
    }
    result.contributions.push_back(rest);
  }

  Model model;
  BatchPredictor predictor;
  Featurizer featurizer;
  std::vector<float> embeddings;
};

Explainer::Explainer(Model model) {
  if (const std::string why = why_no_sum(model.config()); !why.empty()) {
    throw Error(fmt::format(
        "this model cannot be explained: {}; train another method, or `encoder bag`, for that",
        why));
  }
  state_ = std::make_unique<const State>(std::move(model));
}
Explainer::~Explainer() = default;

Explanation Explainer::explain(std::string_view text, Format format) const {
  const Vocabulary& vocabulary = state_->model.data().vocabulary;
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  const ParsedBlock block = state_->featurizer.featurize(line, format);
  const LineNames names(line, state_->featurizer.parser_of(line, format), vocabulary);
  return state_->explain(block.row(0), [&](FeatureId feature) { return names.name(feature); });
}

Explanation Explainer::explain(std::span<const Feature> features) const {
  const FeatureRow row(features, state_->model.data().vocabulary);
  return state_->explain(row.view(), [](FeatureId feature) { return std::to_string(feature); });
}

ReadReport Explainer::explain_file(
    const std::string& path, const DataOptions& options,
    const std::function<bool(std::size_t example, const Explanation&)>& each) const {
  std::size_t example = 0;
  const Vocabulary& vocabulary = state_->model.data().vocabulary;
  if (options.format == Format::kNpy || (options.format == Format::kAuto && is_numpy_file(path))) {
    const Dataset data = Dataset::load(path, state_->model, options);
    const DatasetView& view = data.data().view;
    std::vector<float> scratch(view.dimension());
    for (; example < view.size(); ++example) {
      const RowView row = view.row(example, scratch);
      const auto index = [](FeatureId feature) { return std::to_string(feature); };
      if (!each(example, state_->explain(row, index))) break;
    }
    return data.report();
  }
  LineStream stream(path, options, vocabulary);
  while (stream.wait()) {
    for (const TextBlock& block : stream.take()) {
      std::string_view rest = block.text;
      while (!rest.empty()) {
        const std::string line(take_record(rest, stream.parser().header.separator));
        const ParsedBlock parsed = state_->featurizer.featurize({line, false}, stream.parser());
        stream.count(parsed);
        if (parsed.ends.empty()) continue;
        const LineNames names(line, stream.parser(), vocabulary);
        const auto name = [&](FeatureId feature) { return names.name(feature); };
        if (!each(example++, state_->explain(parsed.row(0), name))) return {};
      }
    }
    check_file(state_->model.data());
  }
  return stream.finish();
}

}  // namespace cane

#include "train/start/start.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/simd/softmax_kernels.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/scorers/tree_scorer.h"
#include "train/start/encoder_start.h"
#include "train/start/feature_scales.h"
#include "train/start/nearest_centres.h"
#include "train/start/proposal_start.h"
#include "train/start/start_means.h"

namespace cane {
namespace {

// The nodes of a prior are shared by many classes, and tolerate larger steps than the rows that
// correct them.
constexpr float kPriorRate = 2.0F;

void set_means(std::span<const RowView> centres, const ClassTree& tree, bool in_tree,
               const BlockLayout& layout, float* weights) {
  if (in_tree) {
    set_tree_means(centres, tree, layout, weights);
  } else {
    set_flat_means(centres, layout, weights);
  }
}

void add_frequencies(std::span<const double> counts, const ClassTree& tree, bool in_tree,
                     const BlockLayout& layout, float* weights) {
  if (in_tree) {
    add_tree_frequencies(counts, tree, layout, weights);
  } else {
    add_to_biases(log_frequencies(counts), layout, weights);
  }
}

// Scores the means to measure their scale. Sums along paths are the scores of flat rows, less the
// same for all classes. Where rows are dense, a flat table is far faster to score, so it is made.
class MeansScorer {
 public:
  MeansScorer(std::span<const RowView> centres, const ClassTree& tree, bool in_tree,
              const BlockLayout& layout, const float* weights) {
    const auto classes = static_cast<std::uint32_t>(centres.size());
    if (!in_tree) {
      scorer_ = std::make_unique<FlatScorer>(classes, layout, weights);
    } else if (centres.front().indices != nullptr) {
      scorer_ = std::make_unique<TreeScorer>(PathScorer(tree, layout, weights));
    } else {
      flat_ = BlockLayout::flat(classes, kRowWidth, layout.dimension());
      rows_ = AlignedBuffer<float>(flat_.size());
      set_flat_means(centres, flat_, rows_.data());
      scorer_ = std::make_unique<FlatScorer>(classes, flat_, rows_.data());
    }
  }
  const ClassScorer& operator*() const { return *scorer_; }

 private:
  BlockLayout flat_;
  AlignedBuffer<float> rows_;
  std::unique_ptr<ClassScorer> scorer_;
};

// A prior starts from the means of the nodes, as a hierarchical softmax does.
float start_prior(const ModelData& model, StartMeans& source, ThreadPool& pool, TrainState& state) {
  const std::size_t proposal = proposal_table(model.config);
  const BlockLayout& table = model.tables[proposal].layout;
  float* weights = state.weights[proposal].data();
  const ScaleSample& sample = source.sample(pool);
  const std::span<const RowView> centres = source.centres(pool);
  const std::span<const double> counts = source.class_weights(pool);
  set_tree_means(centres, model.tree, table, weights);
  const BestScale best = source.scale({0, false, Normalizer::kOfNodes}, [&] {
    const std::vector<float> changes = sample.own_changes(sample.rows, centres, counts);
    return best_scale(*MeansScorer(centres, model.tree, true, table, weights),
                      {sample.rows, sample.labels, changes}, counts, Normalizer::kOfNodes);
  });
  for (float& weight : state.weights[proposal].span()) weight *= best.scale;
  if (best.with_frequencies) add_frequencies(counts, model.tree, true, table, weights);
  const auto inputs = static_cast<float>(mean_square(sample.rows) + 1.0);
  state.rate_scales[proposal] = kTreeClassStep / inputs / model.config.lr;
  return best.scale;
}

float start_proposal(const ModelData& model, StartMeans& source, ThreadPool& pool,
                     TrainState& state) {
  const std::uint32_t rank = model.config.rank;
  const bool in_tree = proposes_by_tree(model.config);
  const std::size_t proposal = proposal_table(model.config);
  const ScaleSample& sample = source.sample(pool);
  const BlockLayout& projection = model.tables[kProjectionTable].layout;
  const BlockLayout& table = model.tables[proposal].layout;
  float* projection_weights = state.weights[kProjectionTable].data();
  float* weights = state.weights[proposal].data();
  set_projection(source.directions(rank, pool), projection, projection_weights);
  const ProjectedCopy means(source.centres(pool), projection, projection_weights, rank);
  set_means(means.rows, model.tree, in_tree, table, weights);
  const ProjectedCopy examples(sample.rows, projection, projection_weights, rank);
  const std::span<const double> counts = source.class_weights(pool);
  const Normalizer normalizer = in_tree ? Normalizer::kOfNodes : Normalizer::kOfExample;
  const BestScale best = source.scale({rank, false, normalizer}, [&] {
    const std::vector<float> changes = sample.own_changes(examples.rows, means.rows, counts);
    return best_scale(*MeansScorer(means.rows, model.tree, in_tree, table, weights),
                      {examples.rows, sample.labels, changes}, counts, normalizer);
  });
  const float scale = best.scale;

  const ProposalBalance balance({.features = mean_square(sample.rows),
                                 .examples = mean_square(examples.rows),
                                 .means = mean_square(means.rows)},
                                scale, in_tree);
  for (float& weight : state.weights[kProjectionTable].span()) weight *= balance.factor;
  scale_proposal(table, scale, balance.factor, weights);
  if (best.with_frequencies) add_frequencies(counts, model.tree, in_tree, table, weights);
  state.rate_scales[proposal] = balance.class_step / model.config.lr;
  state.rate_scales[kProjectionTable] = balance.projection_step / model.config.lr;
  return scale;
}

// The scores of some methods must be logs of probabilities, not only up to a constant: takes the
// mean normaliser of the sample off all of them. Where a score is learned relative
// to the noises, these are taken to be uniform.
void normalize_scores(const ModelData& model, const ScaleSample& sample, std::uint32_t classes,
                      std::span<float> weights) {
  const MethodRow& method = row_of(model.config.method);
  const BlockLayout& layout = model.tables[kClassTable].layout;
  const FlatScorer scorer(classes, layout, weights.data());
  std::vector<float> scores(scorer.all_pitch());
  ScoringScratch scratch;
  double total = 0.0;
  for (const RowView& row : sample.rows) {
    scorer.score_all(std::span(&row, 1), scratch, scores.size(), scores.data());
    total += static_cast<double>(log_sum_exp(scores.data(), classes));
  }
  double shift = total / static_cast<double>(sample.rows.size());
  if (method.learns_ratio_to_noise) {
    shift -= std::log(static_cast<double>(classes) / model.config.noises);
  }
  add_to_biases(std::vector<float>(classes, -static_cast<float>(shift)), layout, weights.data());
}

Normalizer normalizer_of(const MethodRow& method) {
  if (method.is_hierarchical) return Normalizer::kOfNodes;
  return method.has_absolute_scores ? Normalizer::kCommon : Normalizer::kOfExample;
}

// Scaled class means, and the frequencies of the classes where they pay.
void start_classes(const ModelData& model, StartMeans& source, ThreadPool& pool, TrainState& state,
                   StartReport& report) {
  const MethodRow& method = row_of(model.config.method);
  const bool in_tree = has_path_scorer(model.config);
  const BlockLayout& layout = model.tables[kClassTable].layout;
  const std::span<float> weights = state.weights[kClassTable].span();
  const ScaleSample& sample = source.sample(pool);
  const std::span<const RowView> centres = source.centres(pool);
  const std::span<const double> counts = source.class_weights(pool);
  const Whitening* const whitening = state.whitening.get();
  if (whitening != nullptr) {
    set_whitened_means(centres, *whitening, layout, pool, weights.data());
  } else {
    set_means(centres, model.tree, in_tree, layout, weights.data());
  }
  const Normalizer normalizer = normalizer_of(method);
  const std::uint32_t noises =
      normalizer == Normalizer::kCommon ? std::max(model.config.noises, 1U) : 0;
  const BestScale best = source.scale({0, whitening != nullptr, normalizer, noises}, [&] {
    const std::vector<float> changes = whitening != nullptr
                                           ? sample.own_changes(*whitening, centres, counts)
                                           : sample.own_changes(sample.rows, centres, counts);
    return best_scale(*MeansScorer(centres, model.tree, in_tree, layout, weights.data()),
                      {sample.rows, sample.labels, changes}, counts, normalizer,
                      std::max(noises, 1U));
  });
  for (float& weight : weights) weight *= best.scale;
  if (best.with_frequencies) add_frequencies(counts, model.tree, in_tree, layout, weights.data());
  if (method.has_absolute_scores) normalize_scores(model, sample, source.classes(), weights);
  report.class_scale = best.scale;
  report.loss_share = best.loss_share;
  report.with_frequencies = best.with_frequencies;
}

// Classes start at zero.
void start_encoder(const ModelData& model, TrainState& state) {
  const TrainConfig& config = model.config;
  const auto count = static_cast<std::uint32_t>(model.tables.size());
  const auto first = static_cast<std::uint32_t>(count - encoder_layers(config));
  for (std::uint32_t table = first; table < count; ++table) {
    state.rate_scales[table] = start_layer(config, model.tables[table].layout, table,
                                           table == first, state.weights[table].data());
  }
  if (has_prior(config)) state.rate_scales[proposal_table(config)] = kPriorRate;
  if (!has_projection(config)) return;
  state.rate_scales[kProjectionTable] = start_random_projection(
      config, model.tables[kProjectionTable].layout, state.weights[kProjectionTable].data());
}

}  // namespace

void start_method_state(ModelData& model, TrainState& state) {
  state.method_state = make_method_state(model.config);
  if (state.method_state == nullptr) return;
  state.method_state->start(model.config,
                            static_cast<std::uint32_t>(model.vocabulary.labels.size()));
  model.method_state = state.method_state;
}

StartReport start_weights(StartMeans& source, const ModelData& model, ThreadPool& pool,
                          TrainState& state) {
  StartReport report;
  if (scales_features(model.config)) {
    const std::vector<float> scales = feature_scales(source.data());
    std::copy(scales.begin(), scales.end(), state.weights.back().data());
    return report;
  }
  if (has_encoder(model.config)) {
    start_encoder(model, state);
    return report;
  }
  if (state.whitening == nullptr && whitens(model.config, source.data().density())) {
    state.whitening = source.whitening(pool);
  }
  if (model.config.start == StartKind::kMeans) start_classes(model, source, pool, state, report);
  if (uses_proposal(model.config)) {
    report.proposal_scale = has_projection(model.config)
                                ? start_proposal(model, source, pool, state)
                                : start_prior(model, source, pool, state);
  }
  return report;
}

StartReport start_weights(const DatasetView& data, const ModelData& model, ThreadPool& pool,
                          TrainState& state) {
  StartMeans source(data, static_cast<std::uint32_t>(model.vocabulary.labels.size()),
                    model.config.seed);
  return start_weights(source, model, pool, state);
}

}  // namespace cane

#include "train/start/start.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/simd/softmax_kernels.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/scorers/tree_scorer.h"
#include "train/start/feature_scales.h"
#include "train/start/nearest_centres.h"
#include "train/start/start_means.h"

namespace cane {
namespace {

// AdaGrad steps relative to those of the classes; for the first layer, see methods/encoder_table.h.
// A row of embeddings has one accumulator for all its units: the step of one unit is smaller by the
// square root of their number.
constexpr float kLayerRate = 0.1F;
constexpr float kProjectionRate = 0.1F;
// The nodes of a prior are shared by many classes, and bear larger steps than the rows that correct
// them.
constexpr float kPriorRate = 2.0F;

// Uniform in (-range, range), for `units` columns; bias and padding stay zero.
void set_random(const BlockLayout& layout, std::uint32_t units, double range, std::uint64_t seed,
                std::uint32_t table, float* weights) {
  const CounterRandom random(seed, RandomPurpose::kEncoder, table);
  const std::size_t stride = layout.shape(0).stride;
  for (std::size_t i = 0; i < layout.dimension(); ++i) {
    for (std::uint32_t c = 0; c < units; ++c) {
      weights[i * stride + c] = static_cast<float>((2.0 * random.uniform(i, c) - 1.0) * range);
    }
  }
}

// Steps of a proposal, relative to the squared length of its inputs.
struct ProposalSteps {
  float classes;
  float projection;
};
constexpr ProposalSteps kNarrowSteps = {4.0F, 0.5F};
// A tree trains on all examples, and a step at a node moves all classes below it.
constexpr ProposalSteps kTreeSteps = {1.0F, 0.1F};

double mean_square(std::span<const RowView> rows) {
  double squares = 0.0;
  for (const RowView& row : rows) {
    for (std::uint32_t p = 0; p < row.count; ++p) {
      squares += static_cast<double>(row.values[p]) * static_cast<double>(row.values[p]);
    }
  }
  return squares / static_cast<double>(rows.size());
}

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
    add_flat_frequencies(counts, layout, weights);
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

// The rows projected by one block, stored contiguously.
struct Projected {
  Projected(std::span<const RowView> from, const BlockLayout& layout, const float* weights,
            std::uint32_t rank)
      : values(from.size() * layout.widest_stride()) {
    std::vector<ScoreTask> tasks;
    for (std::size_t i = 0; i < from.size(); ++i) {
      float* row = values.data() + i * layout.widest_stride();
      tasks.push_back({from[i], 0.0F, row});
      rows.push_back({nullptr, row, rank});
    }
    score_block(weights, layout.shape(0), tasks);
  }
  std::vector<float> values;
  std::vector<RowView> rows;
};

// Projects the features, minus the mean, onto the principal directions.
void set_projection(const PrincipalDirections& directions, const BlockLayout& layout,
                    float* weights) {
  const std::size_t stride = layout.widest_stride();
  const std::size_t dimension = layout.dimension();
  float* bias = weights + dimension * stride;
  for (std::size_t i = 0; i < dimension; ++i) {
    const float* loadings = directions.loadings.data() + i * directions.rank;
    for (std::size_t c = 0; c < directions.rank; ++c) {
      weights[i * stride + c] = loadings[c];
      bias[c] -= directions.mean[i] * loadings[c];
    }
  }
}

// A prior starts from the means of the nodes, as a hierarchical softmax does.
float start_prior(const ModelData& model, StartMeans& source, ThreadPool& pool, TrainState& state) {
  const std::size_t proposal = proposal_table(model.config);
  const BlockLayout& table = model.tables[proposal].layout;
  float* weights = state.weights[proposal].data();
  const ScaleSample& sample = source.sample(pool);
  const std::span<const RowView> centres = source.centres(pool);
  const std::span<const double> counts = source.class_weights(pool);
  set_tree_means(centres, model.tree, table, weights);
  const BestScale best = source.scale({0, Normalizer::kOfNodes}, [&] {
    return best_scale(*MeansScorer(centres, model.tree, true, table, weights), sample.rows,
                      sample.labels, sample.own_changes(sample.rows, centres, counts), counts,
                      Normalizer::kOfNodes);
  });
  for (float& weight : state.weights[proposal].span()) weight *= best.scale;
  if (best.with_frequencies) add_frequencies(counts, model.tree, true, table, weights);
  const auto inputs = static_cast<float>(mean_square(sample.rows) + 1.0);
  state.rate_scales[proposal] = kTreeSteps.classes / inputs / model.config.lr;
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
  const Projected means(source.centres(pool), projection, projection_weights, rank);
  set_means(means.rows, model.tree, in_tree, table, weights);
  const Projected examples(sample.rows, projection, projection_weights, rank);
  const std::span<const double> counts = source.class_weights(pool);
  const Normalizer normalizer = in_tree ? Normalizer::kOfNodes : Normalizer::kOfExample;
  const BestScale best = source.scale({rank, normalizer}, [&] {
    return best_scale(*MeansScorer(means.rows, model.tree, in_tree, table, weights), examples.rows,
                      sample.labels, sample.own_changes(examples.rows, means.rows, counts), counts,
                      normalizer);
  });
  const float scale = best.scale;

  // Scores are products of two factors: balance their lengths.
  const double example_square = std::max(mean_square(examples.rows), 1e-12);
  const double class_square = mean_square(means.rows) * static_cast<double>(scale) * scale;
  const auto factor = static_cast<float>(std::pow(class_square / example_square, 0.25));
  for (float& weight : state.weights[kProjectionTable].span()) weight *= factor;
  for (std::uint32_t node = 0; node < table.node_bound(); ++node) {
    const std::size_t stride = table.shape(node).stride;
    float* block = weights + table.offset(node);
    for (std::size_t i = 0; i < rank * stride; ++i) block[i] *= scale / factor;
    for (std::size_t c = 0; c < stride; ++c) block[rank * stride + c] *= scale;
  }
  if (best.with_frequencies) {
    add_frequencies(counts, model.tree, in_tree, table, weights);
  }
  const double inputs = example_square * static_cast<double>(factor) * factor + 1.0;
  const double features =
      (mean_square(sample.rows) + 1.0) * std::sqrt(class_square * example_square);
  const ProposalSteps& steps = in_tree ? kTreeSteps : kNarrowSteps;
  state.rate_scales[proposal] = steps.classes / static_cast<float>(inputs) / model.config.lr;
  state.rate_scales[kProjectionTable] =
      steps.projection / static_cast<float>(std::max(features, 1e-12)) / model.config.lr;
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
  const std::uint32_t width = layout.widest_stride();
  for (ClassId k = 0; k < classes; ++k) {
    float* column = weights.data() + layout.offset(k / width) + k % width;
    column[std::size_t{layout.dimension()} * width] -= static_cast<float>(shift);
  }
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
  set_means(centres, model.tree, in_tree, layout, weights.data());
  const Normalizer normalizer = normalizer_of(method);
  const std::uint32_t noises =
      normalizer == Normalizer::kCommon ? std::max(model.config.noises, 1U) : 0;
  const BestScale best = source.scale({0, normalizer, noises}, [&] {
    return best_scale(*MeansScorer(centres, model.tree, in_tree, layout, weights.data()),
                      sample.rows, sample.labels, sample.own_changes(sample.rows, centres, counts),
                      counts, normalizer, std::max(noises, 1U));
  });
  for (float& weight : weights) weight *= best.scale;
  if (best.with_frequencies) add_frequencies(counts, model.tree, in_tree, layout, weights.data());
  if (method.has_absolute_scores) normalize_scores(model, sample, source.classes(), weights);
  report.class_scale = best.scale;
  report.loss_share = best.loss_share;
  report.with_frequencies = best.with_frequencies;
}

// Initialises embeddings with small random values, layers so that they preserve the length of their
// input, and classes with zero. A proposal starts with a random projection.
void start_encoder(const ModelData& model, TrainState& state) {
  const TrainConfig& config = model.config;
  const EncoderRow& encoder = row_of(config.encoder);
  const auto count = static_cast<std::uint32_t>(model.tables.size());
  const auto first = static_cast<std::uint32_t>(count - encoder_layers(config));
  const auto dim = static_cast<double>(config.dim);
  for (std::uint32_t table = first; table < count; ++table) {
    const bool is_first = table == first;
    set_random(model.tables[table].layout, config.dim, encoder.start_range(dim), config.seed, table,
               state.weights[table].data());
    state.rate_scales[table] =
        is_first ? encoder.first_layer_rate * static_cast<float>(std::sqrt(dim)) : kLayerRate;
  }
  if (has_prior(config)) state.rate_scales[proposal_table(config)] = kPriorRate;
  if (!has_projection(config)) return;
  set_random(model.tables[kProjectionTable].layout, config.rank,
             std::sqrt(3.0 / static_cast<double>(config.rank)), config.seed, kProjectionTable,
             state.weights[kProjectionTable].data());
  state.rate_scales[kProjectionTable] = kProjectionRate;
}

}  // namespace

void start_routing(ModelData& model, TrainState& state) {
  if (!uses_routing(model.config)) return;
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  state.routing = std::make_shared<RoutingState>(initial_routing(model.config, classes));
  model.routing = state.routing;
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

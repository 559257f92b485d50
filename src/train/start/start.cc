#include "train/start/start.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "data/rows/row_gather.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/scorers/tree_scorer.h"
#include "train/clusters/class_centres.h"
#include "train/clusters/principal_directions.h"
#include "train/shuffle.h"
#include "train/start/feature_scales.h"
#include "train/start/leave_one_out.h"
#include "train/start/nearest_centres.h"

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

// A few examples used to choose scales, if possible of classes that have others.
struct Sample {
  Sample(const DatasetView& data, std::uint32_t classes, std::uint64_t seed, std::size_t size)
      : class_weights(class_counts(data, classes)) {
    std::vector<std::uint32_t> order(data.size());
    shuffle_examples(seed, 0, order);
    const auto is_alone = [&](std::uint32_t example) {
      return class_weights[data.label(example)] <= static_cast<double>(data.weight(example));
    };
    std::ranges::stable_partition(order, std::not_fn(is_alone));
    order.resize(std::min(size, order.size()));
    rows = gather.gather(data, std::span<const std::uint32_t>(order));
    for (const std::uint32_t example : order) {
      labels.push_back(data.label(example));
      weights.push_back(static_cast<double>(data.weight(example)));
    }
  }

  /// What leaving each example out of its own class's mean changes; `rows` and `centres` may be
  /// projected.
  std::vector<float> own_changes(std::span<const RowView> examples,
                                 std::span<const RowView> centres) const {
    std::vector<float> changes;
    for (std::size_t e = 0; e < examples.size(); ++e) {
      changes.push_back(leave_one_out_change(examples[e], centres[labels[e]], weights[e],
                                             class_weights[labels[e]])
                            .value_or(0.0F));
    }
    return changes;
  }

  RowGather gather;
  std::span<const RowView> rows;
  std::vector<ClassId> labels;
  std::vector<double> weights;
  std::vector<double> class_weights;
};

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

std::unique_ptr<ClassScorer> plain_scorer(const ClassTree& tree, bool in_tree,
                                          std::uint32_t classes, const BlockLayout& layout,
                                          const float* weights) {
  if (in_tree) return std::make_unique<TreeScorer>(PathScorer(tree, layout, weights));
  return std::make_unique<FlatScorer>(classes, layout, weights);
}

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
float start_prior(const ModelData& model, std::span<const RowView> centre_rows,
                  const Sample& sample, TrainState& state) {
  const std::size_t proposal = proposal_table(model.config);
  const BlockLayout& table = model.tables[proposal].layout;
  float* weights = state.weights[proposal].data();
  set_tree_means(centre_rows, model.tree, table, weights);
  const auto classes = static_cast<std::uint32_t>(centre_rows.size());
  const BestScale best = best_scale(
      *plain_scorer(model.tree, true, classes, table, weights), sample.rows, sample.labels,
      sample.own_changes(sample.rows, centre_rows), sample.class_weights, true);
  for (float& weight : state.weights[proposal].span()) weight *= best.scale;
  if (best.with_frequencies) {
    add_frequencies(sample.class_weights, model.tree, true, table, weights);
  }
  const auto inputs = static_cast<float>(mean_square(sample.rows) + 1.0);
  state.rate_scales[proposal] = kTreeSteps.classes / inputs / model.config.lr;
  return best.scale;
}

float start_proposal(const ModelData& model, const ClassCentres& centres,
                     std::span<const RowView> centre_rows, const Sample& sample, ThreadPool& pool,
                     TrainState& state) {
  const std::uint32_t rank = model.config.rank;
  const auto classes = static_cast<std::uint32_t>(centre_rows.size());
  const bool in_tree = proposes_by_tree(model.config);
  const std::size_t proposal = proposal_table(model.config);
  const BlockLayout& projection = model.tables[kProjectionTable].layout;
  const BlockLayout& table = model.tables[proposal].layout;
  float* projection_weights = state.weights[kProjectionTable].data();
  float* weights = state.weights[proposal].data();
  std::vector<float> counts(model.class_counts.begin(), model.class_counts.end());
  set_projection(principal_directions(centres, counts, rank, pool), projection, projection_weights);
  const Projected means(centre_rows, projection, projection_weights, rank);
  set_means(means.rows, model.tree, in_tree, table, weights);
  const Projected examples(sample.rows, projection, projection_weights, rank);
  const BestScale best = best_scale(
      *plain_scorer(model.tree, in_tree, classes, table, weights), examples.rows, sample.labels,
      sample.own_changes(examples.rows, means.rows), sample.class_weights, in_tree);
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
    add_frequencies(sample.class_weights, model.tree, in_tree, table, weights);
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

StartReport start_weights(const DatasetView& data, const ModelData& model, ThreadPool& pool,
                          TrainState& state) {
  StartReport report;
  if (scales_features(model.config)) {
    const std::vector<float> scales = feature_scales(data);
    std::copy(scales.begin(), scales.end(), state.weights.back().data());
    return report;
  }
  if (has_encoder(model.config)) {
    start_encoder(model, state);
    return report;
  }
  const bool with_proposal = uses_proposal(model.config);
  if (model.config.start != StartKind::kMeans && !with_proposal) return report;
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  const ClassCentres centres(data, classes, pool);
  std::vector<RowView> centre_rows;
  for (ClassId k = 0; k < classes; ++k) centre_rows.push_back(centres.row(k));
  const Sample sample(data, classes, model.config.seed, best_scale_sample(classes));
  if (model.config.start == StartKind::kMeans) {
    const bool in_tree = has_path_scorer(model.config);
    const BlockLayout& layout = model.tables[kClassTable].layout;
    float* weights = state.weights[kClassTable].data();
    set_means(centre_rows, model.tree, in_tree, layout, weights);
    const BestScale best =
        best_scale(*plain_scorer(model.tree, in_tree, classes, layout, weights), sample.rows,
                   sample.labels, sample.own_changes(sample.rows, centre_rows),
                   sample.class_weights, row_of(model.config.method).is_hierarchical);
    report.class_scale = best.scale;
    report.loss_share = best.loss_share;
    for (float& weight : state.weights[kClassTable].span()) weight *= report.class_scale;
    if (best.with_frequencies) {
      add_frequencies(sample.class_weights, model.tree, in_tree, layout, weights);
    }
    report.with_frequencies = best.with_frequencies;
  }
  if (with_proposal) {
    report.proposal_scale = has_projection(model.config)
                                ? start_proposal(model, centres, centre_rows, sample, pool, state)
                                : start_prior(model, centre_rows, sample, state);
  }
  return report;
}

}  // namespace cane

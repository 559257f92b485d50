#include "train/classes/sharded_start.h"

#include <algorithm>
#include <vector>

#include "train/classes/sharded_losses.h"
#include "train/clusters/class_centres.h"
#include "train/start/encoder_start.h"
#include "train/start/leave_one_out.h"
#include "train/start/nearest_centres.h"
#include "train/start/proposal_start.h"
#include "train/start/start_means.h"

namespace cane {
namespace {

// Classes whose means the principal directions are taken of: as many as these values hold, so that
// the directions of a few dimensions are well determined at a bounded cost.
constexpr std::size_t kDirectionValues = std::size_t{1} << 24;
constexpr std::uint32_t kFewestDirectionClasses = 1024;
constexpr std::uint32_t kMostDirectionClasses = 1U << 16;

/// The means of some of the classes: those that number(class) numbers from 0.
template <typename Number>
ClassCentres centres_of(const DatasetView& data, std::uint32_t classes, const Number& number,
                        ThreadPool& pool) {
  std::vector<ClassId> labels;
  labels.reserve(data.size());
  for (const ClassId label : data.labels()) labels.push_back(number(label));
  const DatasetView view =
      data.is_dense() ? DatasetView(data.dense(), data.dimension(), labels, data.weights())
                      : DatasetView(data.sparse(), data.dimension(), labels, data.weights());
  return {view, classes, pool};
}

std::vector<RowView> rows_of(const ClassCentres& centres) {
  std::vector<RowView> rows;
  for (ClassId k = 0; k < centres.class_count(); ++k) rows.push_back(centres.row(k));
  return rows;
}

PrincipalDirections common_directions(const DatasetView& data,
                                      std::span<const std::uint64_t> class_counts,
                                      std::uint32_t rank, ThreadPool& pool) {
  const auto classes = static_cast<std::uint32_t>(class_counts.size());
  const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(
      kDirectionValues / std::max<FeatureId>(data.dimension(), 1), kMostDirectionClasses));
  const std::uint32_t count = std::min(classes, std::max(room, kFewestDirectionClasses));
  // Evenly spaced: class i * classes / count, rounded down, has the number i.
  const auto nth = [&](std::uint64_t i) { return static_cast<ClassId>(i * classes / count); };
  const auto number = [&](ClassId label) {
    const auto i = static_cast<ClassId>((std::uint64_t{label} * count + classes - 1) / classes);
    return i < count && nth(i) == label ? i : kUnknownClass;
  };
  std::vector<float> weights;
  for (std::uint32_t i = 0; i < count; ++i) {
    weights.push_back(static_cast<float>(class_counts[nth(i)]));
  }
  return principal_directions(centres_of(data, count, number, pool), weights, rank, pool);
}

class ShardedStart {
 public:
  ShardedStart(const DatasetView& data, const ModelData& model, const ShardTables& tables,
               ThreadPool& pool, Communicator& ranks, TrainState& state)
      : data_(data),
        model_(model),
        tables_(tables),
        pool_(pool),
        ranks_(ranks),
        state_(state),
        class_weights_(class_counts(data, tables.shards.classes())),
        log_frequencies_(log_frequencies(class_weights_)),
        sample_(data, class_weights_, model.config.seed,
                best_scale_sample(tables.shards.classes())),
        projection_(tables.layout(tables.projection())),
        own_changes_(sample_.rows.size(), 0.0F),
        projected_changes_(sample_.rows.size(), 0.0F) {}

  StartReport run() {
    StartReport report;
    float* projection = state_.weights[tables_.projection()].data();
    set_projection(common_directions(data_, model_.class_counts, model_.config.rank, pool_),
                   projection_, projection);
    const ProjectedCopy examples(sample_.rows, projection_, projection, model_.config.rank);
    for (std::uint32_t own = 0; own < tables_.own.count(); ++own) set_means(own, examples.rows);
    if (has_means()) start_classes(report);
    start_proposal(examples.rows, report);
    return report;
  }

 private:
  bool has_means() const { return model_.config.start == StartKind::kMeans; }
  std::span<float> weights(std::size_t table) { return state_.weights[table].span(); }

  // The means of a shard are gone when those of the next one are computed.
  void set_means(std::uint32_t own, std::span<const RowView> projected_examples) {
    const ClassShards& shards = tables_.shards;
    const std::uint32_t shard = tables_.own.begin + own;
    const ClassCentres centres = centres_of(
        data_, shards.size(shard),
        [&](ClassId k) { return shards.shard_of(k) == shard ? shards.local(k) : kUnknownClass; },
        pool_);
    const std::vector<RowView> means = rows_of(centres);
    const ProjectedCopy projected(means, projection_, state_.weights[tables_.projection()].data(),
                                  model_.config.rank);
    if (has_means()) {
      const std::size_t classes = ShardTables::classes(own);
      set_flat_means(means, tables_.layout(classes), weights(classes).data());
    }
    const std::size_t proposal = ShardTables::proposal(own);
    set_flat_means(projected.rows, tables_.layout(proposal), weights(proposal).data());
    squares_.push_back(sum_of_squares(projected.rows));
    for (std::size_t e = 0; e < sample_.rows.size(); ++e) {
      const ClassId label = sample_.labels[e];
      if (shards.shard_of(label) != shard) continue;
      const auto change = [&](const RowView& row, const RowView& mean) {
        return leave_one_out_change(row, mean, sample_.weights[e], class_weights_[label])
            .value_or(0.0F);
      };
      own_changes_[e] = change(sample_.rows[e], means[shards.local(label)]);
      projected_changes_[e] = change(projected_examples[e], projected.rows[shards.local(label)]);
    }
  }

  /// `first`: the table of the first shard.
  BestScale measure(std::size_t first, std::span<const RowView> rows,
                    std::span<const float> changes) {
    std::vector<FlatScorer> scorers;
    for (std::uint32_t own = 0; own < tables_.own.count(); ++own) {
      const std::size_t table = first + ShardTables::classes(own);
      scorers.emplace_back(tables_.shards.size(tables_.own.begin + own), tables_.layout(table),
                           weights(table).data());
    }
    ShardedLosses losses(tables_.shards, tables_.own, std::move(scorers),
                         {rows, sample_.labels, changes}, log_frequencies_, pool_, ranks_);
    return best_scale(losses, class_weights_, Normalizer::kOfExample);
  }

  void start_classes(StartReport& report) {
    const BestScale best = measure(ShardTables::classes(0), sample_.rows, own_changes_);
    for (std::uint32_t own = 0; own < tables_.own.count(); ++own) {
      const std::size_t table = ShardTables::classes(own);
      for (float& weight : weights(table)) weight *= best.scale;
      if (best.with_frequencies) add_frequencies(own, table);
    }
    report.class_scale = best.scale;
    report.loss_share = best.loss_share;
    report.with_frequencies = best.with_frequencies;
  }

  void start_proposal(std::span<const RowView> examples, StartReport& report) {
    const BestScale best = measure(ShardTables::proposal(0), examples, projected_changes_);
    double squares = 0.0;
    for (const double of_shard : ranks_.all_gather_values(std::span<const double>(squares_))) {
      squares += of_shard;
    }
    const ProposalBalance balance(
        {.features = mean_square(sample_.rows),
         .examples = mean_square(examples),
         .means = squares / static_cast<double>(tables_.shards.classes())},
        best.scale, false);
    for (float& weight : weights(tables_.projection())) weight *= balance.factor;
    for (std::uint32_t own = 0; own < tables_.own.count(); ++own) {
      const std::size_t table = ShardTables::proposal(own);
      scale_proposal(tables_.layout(table), best.scale, balance.factor, weights(table).data());
      if (best.with_frequencies) add_frequencies(own, table);
      state_.rate_scales[table] = balance.class_step / model_.config.lr;
    }
    state_.rate_scales[tables_.projection()] = balance.projection_step / model_.config.lr;
    report.proposal_scale = best.scale;
  }

  void add_frequencies(std::uint32_t own, std::size_t table) {
    const std::uint32_t shard = tables_.own.begin + own;
    std::vector<float> logs;
    for (ClassId k = 0; k < tables_.shards.size(shard); ++k) {
      logs.push_back(log_frequencies_[tables_.shards.global(shard, k)]);
    }
    add_to_biases(logs, tables_.layout(table), weights(table).data());
  }

  const DatasetView& data_;
  const ModelData& model_;
  const ShardTables& tables_;
  ThreadPool& pool_;
  Communicator& ranks_;
  TrainState& state_;
  std::vector<double> class_weights_;  // these two of all classes
  std::vector<float> log_frequencies_;
  ScaleSample sample_;
  const BlockLayout& projection_;
  std::vector<float> own_changes_;  // of the examples whose labels are in the own shards
  std::vector<float> projected_changes_;
  std::vector<double> squares_;  // of the projected means of each own shard
};

void start_encoder(const ModelData& model, const ShardTables& tables, TrainState& state) {
  const std::size_t projection = tables.projection();
  for (std::size_t table = projection; table < tables.tables.size(); ++table) {
    const BlockLayout& layout = tables.layout(table);
    float* weights = state.weights[table].data();
    state.rate_scales[table] =
        table == projection
            ? start_random_projection(model.config, layout, weights)
            : start_layer(model.config, layout, static_cast<std::uint32_t>(tables.whole[table]),
                          table == projection + 1, weights);
  }
}

}  // namespace

StartReport start_shards(const DatasetView& data, const ModelData& model, const ShardTables& tables,
                         ThreadPool& pool, Communicator& ranks, TrainState& state) {
  if (has_encoder(model.config)) {
    start_encoder(model, tables, state);
    return {};
  }
  return ShardedStart(data, model, tables, pool, ranks, state).run();
}

}  // namespace cane

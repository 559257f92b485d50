#include "train/classes/sharded_start.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/objective/exponentials.h"
#include "core/simd/softmax_kernels.h"
#include "linear/scorers/flat_scorer.h"
#include "train/clusters/class_centres.h"
#include "train/start/leave_one_out.h"
#include "train/start/nearest_centres.h"
#include "train/start/start_means.h"

namespace cane {
namespace {

class ShardedStart final : public ScaleLosses {
 public:
  ShardedStart(const DatasetView& data, std::uint64_t seed, const ShardTables& tables,
               ThreadPool& pool, Communicator& ranks, float* weights)
      : data_(data),
        shards_(tables.part.shards()),
        own_(tables.part.own()),
        pool_(pool),
        ranks_(ranks),
        weights_(weights),
        class_weights_(class_counts(data, shards_.classes())),
        log_frequencies_(log_frequencies(class_weights_)),
        sample_(data, class_weights_, seed, best_scale_sample(shards_.classes())),
        own_changes_(sample_.rows.size(), 0.0F) {
    for (std::uint32_t i = 0; i < own_.count(); ++i) {
      layouts_.push_back(tables.layout_of(i));
      offsets_.push_back(tables.offset_of(i));
    }
  }

  BestScale run() {
    for (std::uint32_t i = 0; i < own_.count(); ++i) set_means(i);
    const BestScale best = best_scale(*this, class_weights_, Normalizer::kOfExample);
    for (std::uint32_t i = 0; i < own_.count(); ++i) {
      for (std::size_t w = 0; w < layouts_[i].size(); ++w) weights_of(i)[w] *= best.scale;
      if (best.with_frequencies) add_to_biases(log_frequencies_of(i), layouts_[i], weights_of(i));
    }
    return best;
  }

  std::size_t examples() const override { return sample_.rows.size(); }
  double guess() const override { return std::log(static_cast<double>(shards_.classes())); }

  std::vector<double> measure(const ScaleTask& task) override {
    const std::size_t per_shard = (examples() + task.step - 1) / task.step * task.count;
    std::vector<Part> own_parts(per_shard * own_.count());
    pool_.run(own_.count(), [&](std::size_t i, int) {
      measure_shard(static_cast<std::uint32_t>(i), task,
                    std::span(own_parts).subspan(i * per_shard, per_shard));
    });
    const auto all = ranks_.all_gather_values(std::span<const Part>(own_parts));
    std::vector<double> sums(task.count, 0.0);
    for (std::size_t i = 0; i < per_shard; ++i) {
      float log_sum = -std::numeric_limits<float>::infinity();
      for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
        log_sum = log_add_exp(log_sum, all[shard * per_shard + i].log_sum);
      }
      const std::uint32_t of_label = shards_.shard_of(sample_.labels[i / task.count * task.step]);
      sums[i % task.count] +=
          static_cast<double>(log_sum - all[of_label * per_shard + i].label_score);
    }
    return mean_losses(std::move(sums), examples(), task);
  }

 private:
  /// The log of the sum over a shard, and the score of the label if the shard has it.
  struct Part {
    float log_sum;
    float label_score;
  };

  float* weights_of(std::uint32_t i) { return weights_ + offsets_[i]; }
  /// The number of a class in the i-th own shard.
  ClassId number(ClassId k, std::uint32_t i) const {
    return shards_.shard_of(k) == own_.begin + i ? shards_.local(k) : kUnknownClass;
  }

  std::vector<float> log_frequencies_of(std::uint32_t i) const {
    std::vector<float> logs;
    for (ClassId k = 0; k < shards_.size(own_.begin + i); ++k) {
      logs.push_back(log_frequencies_[shards_.global(own_.begin + i, k)]);
    }
    return logs;
  }

  // The means of a shard are gone when those of the next one are computed.
  void set_means(std::uint32_t i) {
    std::vector<ClassId> labels;
    labels.reserve(data_.size());
    for (const ClassId label : data_.labels()) labels.push_back(number(label, i));
    const DatasetView view =
        data_.is_dense() ? DatasetView(data_.dense(), data_.dimension(), labels, data_.weights())
                         : DatasetView(data_.sparse(), data_.dimension(), labels, data_.weights());
    const ClassCentres centres(view, shards_.size(own_.begin + i), pool_);
    std::vector<RowView> means;
    for (ClassId k = 0; k < centres.class_count(); ++k) means.push_back(centres.row(k));
    set_flat_means(means, layouts_[i], weights_of(i));
    for (std::size_t e = 0; e < examples(); ++e) {
      const ClassId label = sample_.labels[e];
      if (number(label, i) == kUnknownClass) continue;
      own_changes_[e] = leave_one_out_change(sample_.rows[e], means[number(label, i)],
                                             sample_.weights[e], class_weights_[label])
                            .value_or(0.0F);
    }
  }

  void measure_shard(std::uint32_t i, const ScaleTask& task, std::span<Part> parts) {
    const FlatScorer scorer(shards_.size(own_.begin + i), layouts_[i], weights_of(i));
    for_each_scale(
        scorer, {sample_.rows, sample_.labels, own_changes_}, task,
        task.with_frequencies ? log_frequencies_of(i) : std::vector<float>(),
        [&](ClassId label) { return number(label, i); },
        [&](std::size_t e, std::size_t s, std::span<const float> scaled, ClassId label) {
          parts[e * task.count + s] = {log_sum_exp(scaled.data(), scaled.size()),
                                       label != kUnknownClass ? scaled[label] : 0.0F};
        });
  }

  const DatasetView& data_;
  const ClassShards& shards_;
  OwnShards own_;
  ThreadPool& pool_;
  Communicator& ranks_;
  float* weights_;  // of the classes
  std::vector<BlockLayout> layouts_;
  std::vector<std::size_t> offsets_;
  std::vector<double> class_weights_;  // these two of all classes
  std::vector<float> log_frequencies_;
  ScaleSample sample_;
  std::vector<float> own_changes_;  // of the examples whose labels are in the own shards
};

}  // namespace

StartReport start_shards(const DatasetView& data, const ModelData& model, const ShardTables& tables,
                         ThreadPool& pool, Communicator& ranks, TrainState& state) {
  const TrainConfig& config = model.config;
  if (has_encoder(config) || config.start != StartKind::kMeans) {
    return start_weights(data, model, pool, state);  // the classes start at zero
  }
  const BestScale best =
      ShardedStart(data, config.seed, tables, pool, ranks, state.weights[kClassTable].data()).run();
  return {.class_scale = best.scale,
          .with_frequencies = best.with_frequencies,
          .loss_share = best.loss_share};
}

}  // namespace cane

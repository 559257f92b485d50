#include "train/classes/sharded_losses.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/objective/exponentials.h"
#include "core/simd/softmax_kernels.h"

namespace cane {

ShardedLosses::ShardedLosses(const ClassShards& shards, OwnShards own,
                             std::vector<FlatScorer> scorers, const ScaleExamples& examples,
                             std::span<const float> log_frequencies, ThreadPool& pool,
                             Communicator& ranks)
    : shards_(shards),
      own_(own),
      scorers_(std::move(scorers)),
      examples_(examples),
      log_frequencies_(log_frequencies),
      pool_(pool),
      ranks_(ranks) {}

double ShardedLosses::guess() const {
  return std::log(static_cast<double>(shards_.classes()));
}

std::vector<double> ShardedLosses::measure(const ScaleTask& task) {
  const std::size_t per_shard = (examples() + task.step - 1) / task.step * task.count;
  std::vector<Part> own_parts(per_shard * own_.count());
  pool_.run(own_.count(), [&](std::size_t own, int) {
    measure_shard(static_cast<std::uint32_t>(own), task,
                  std::span(own_parts).subspan(own * per_shard, per_shard));
  });
  const auto all = ranks_.all_gather_values(std::span<const Part>(own_parts));
  std::vector<double> sums(task.count, 0.0);
  for (std::size_t i = 0; i < per_shard; ++i) {
    const ClassId label = examples_.labels[i / task.count * task.step];
    float log_sum = -std::numeric_limits<float>::infinity();
    for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
      log_sum = log_add_exp(log_sum, all[shard * per_shard + i].log_sum);
    }
    const Part& of_label = all[shards_.shard_of(label) * per_shard + i];
    sums[i % task.count] += static_cast<double>(log_sum - of_label.label_score);
  }
  return mean_losses(std::move(sums), examples(), task);
}

void ShardedLosses::measure_shard(std::uint32_t own, const ScaleTask& task,
                                  std::span<Part> parts) const {
  const std::uint32_t shard = own_.begin + own;
  std::vector<float> added;
  for (ClassId k = 0; task.with_frequencies && k < scorers_[own].classes(); ++k) {
    added.push_back(log_frequencies_[shards_.global(shard, k)]);
  }
  for_each_scale(
      scorers_[own], examples_, task, added,
      [&](ClassId label) {
        return shards_.shard_of(label) == shard ? shards_.local(label) : kUnknownClass;
      },
      [&](std::size_t i, std::size_t s, std::span<const float> scaled, ClassId label) {
        parts[i * task.count + s] = {log_sum_exp(scaled.data(), scaled.size()),
                                     label != kUnknownClass ? scaled[label] : 0.0F};
      });
}

}  // namespace cane

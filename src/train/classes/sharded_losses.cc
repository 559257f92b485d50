#include "train/classes/sharded_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/objective/exponentials.h"
#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

constexpr std::size_t kRowsAtOnce = 16;

}  // namespace

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

std::vector<double> ShardedLosses::measure(int lowest, std::size_t count, std::size_t step,
                                           bool with_frequencies) {
  const std::size_t measured = (examples_.rows.size() + step - 1) / step;
  const std::size_t per_shard = measured * count;
  std::vector<Part> own_parts(per_shard * own_.count());
  pool_.run(own_.count(), [&](std::size_t own, int) {
    measure_shard(static_cast<std::uint32_t>(own), {lowest, count, step, with_frequencies},
                  std::span(own_parts).subspan(own * per_shard, per_shard));
  });
  std::vector<Part> all;
  for (const Bytes& bytes : ranks_.all_gather(bytes_of(std::span<const Part>(own_parts)))) {
    const std::vector<Part> parts = values_of<Part>(bytes);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  std::vector<double> sums(count, 0.0);
  for (std::size_t i = 0; i < per_shard; ++i) {
    const ClassId label = examples_.labels[i / count * step];
    float log_sum = -std::numeric_limits<float>::infinity();
    for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
      log_sum = log_add_exp(log_sum, all[shard * per_shard + i].log_sum);
    }
    const Part& of_label = all[shards_.shard_of(label) * per_shard + i];
    sums[i % count] += static_cast<double>(log_sum - of_label.label_score);
  }
  for (double& sum : sums) {
    sum /= static_cast<double>(measured);
    if (std::isnan(sum)) sum = std::numeric_limits<double>::infinity();
  }
  return sums;
}

void ShardedLosses::measure_shard(std::uint32_t own, const Task& task,
                                  std::span<Part> parts) const {
  const FlatScorer& scorer = scorers_[own];
  const std::uint32_t shard = own_.begin + own;
  const std::size_t pitch = scorer.all_pitch();
  std::vector<float> scores(kRowsAtOnce * pitch);
  std::vector<float> scaled(scorer.classes());
  std::vector<RowView> rows;
  ScoringScratch scratch;
  for (std::size_t begin = 0; begin * task.count < parts.size(); begin += kRowsAtOnce) {
    const std::size_t end = std::min(begin + kRowsAtOnce, parts.size() / task.count);
    rows.clear();
    for (std::size_t i = begin; i < end; ++i) rows.push_back(examples_.rows[i * task.step]);
    scorer.score_all(rows, scratch, pitch, scores.data());
    for (std::size_t i = begin; i < end; ++i) {
      float* of_example = scores.data() + (i - begin) * pitch;
      const ClassId label = examples_.labels[i * task.step];
      const bool has_label = shards_.shard_of(label) == shard;
      const ClassId place = has_label ? shards_.local(label) : 0;
      if (has_label) of_example[place] += examples_.own_changes[i * task.step];
      for (std::size_t s = 0; s < task.count; ++s) {
        const float scale = std::ldexp(1.0F, task.lowest + static_cast<int>(s));
        for (ClassId k = 0; k < scaled.size(); ++k) scaled[k] = scale * of_example[k];
        for (ClassId k = 0; task.with_frequencies && k < scaled.size(); ++k) {
          scaled[k] += log_frequencies_[shards_.global(shard, k)];
        }
        parts[i * task.count + s] = {log_sum_exp(scaled.data(), scaled.size()),
                                     has_label ? scaled[place] : 0.0F};
      }
    }
  }
}

}  // namespace cane

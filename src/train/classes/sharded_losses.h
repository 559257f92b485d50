// The losses of a few examples at various scales of the scores, where classes are shared out: each
// rank sums the exponentials of its own shards, and all add them up in the order of the shards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "linear/scorers/flat_scorer.h"
#include "train/classes/class_shards.h"
#include "train/start/best_scale.h"

namespace cane {

class ShardedLosses final : public ScaleLosses {
 public:
  /// `scorers` are those of the own shards, `log_frequencies` those of all classes. Every rank has
  /// the same examples; own_changes of a label in another rank's shard are not read. What the
  /// arguments point to must outlive the object.
  ShardedLosses(const ClassShards& shards, OwnShards own, std::vector<FlatScorer> scorers,
                const ScaleExamples& examples, std::span<const float> log_frequencies,
                ThreadPool& pool, Communicator& ranks);

  std::vector<double> measure(const ScaleTask& task) override;
  std::size_t examples() const override { return examples_.rows.size(); }
  double guess() const override;

 private:
  /// The log of the sum over a shard, and the score of the label if the shard has it.
  struct Part {
    float log_sum;
    float label_score;
  };
  void measure_shard(std::uint32_t own, const ScaleTask& task, std::span<Part> parts) const;

  const ClassShards& shards_;
  OwnShards own_;
  std::vector<FlatScorer> scorers_;
  ScaleExamples examples_;
  std::span<const float> log_frequencies_;
  ThreadPool& pool_;
  Communicator& ranks_;
};

}  // namespace cane

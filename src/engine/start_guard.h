// Sees that a training does not end below its own start. Class means can be better than what a rate
// that is too high makes of them, and a few epochs do not always bring back what the first steps
// destroyed. A few examples are held out of the training, and the accuracy on them is measured
// before the first step and after the last.
#pragma once

#include <cstddef>
#include <utility>

#include "cane/config.h"
#include "cane/dataset.h"
#include "core/base/thread_pool.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Number of examples that are held out: at most one in a hundred, and no more than measure well; 0
/// if these would be too few to measure on.
std::size_t guarded_examples(const DatasetView& data);

class StartGuard {
 public:
  /// `config`: the options as given, or for a resumed training those of the checkpoint. A guard
  /// needs a start worth keeping, and data that is not read from a file window by window.
  static bool applies(const TrainConfig& config, const DatasetView& data);

  StartGuard(const Dataset& data, std::uint64_t seed);

  /// What is left to train on.
  const Dataset& rest() const { return parts_.first; }

  void measure_start(const ModelData& model, const TrainState& state, ThreadPool& pool);
  /// Whether accuracy is now below that of the start by more than noise.
  bool fell_below_start(const ModelData& model, const TrainState& state, ThreadPool& pool);

  double start_accuracy() const { return start_; }
  double end_accuracy() const { return end_; }
  std::size_t examples() const { return parts_.second.size(); }
  const Dataset& held_out() const { return parts_.second; }

 private:
  double accuracy(const ModelData& model, const TrainState& state, ThreadPool& pool) const;

  std::pair<Dataset, Dataset> parts_;
  double start_ = 0.0;  // 0 if it was not measured
  double end_ = 0.0;
};

}  // namespace cane

// Sees that a training does not end below what needs none: its own start, and the answer that is
// always the most frequent class. Class means can be better than what a rate that is too high makes
// of them, and a few epochs do not always bring back what the first steps destroyed. The accuracy
// on validation data, or on a few examples that are held out of the training, is measured before
// the first step and after the last.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

  /// `validation` may be null: then examples are held out.
  StartGuard(const Dataset& data, const Dataset* validation, std::uint64_t seed);

  /// What is left to train on.
  const Dataset& rest() const { return parts_.first; }

  void measure_start(const ModelData& model, const TrainState& state, ThreadPool& pool);
  struct Finding {
    std::string text;       // what is better, for the user
    bool is_start = false;  // it is the start
  };
  /// What is better than these weights by more than noise; empty: nothing.
  std::optional<Finding> find_better(const ModelData& model, const WeightTables& weights,
                                     ThreadPool& pool) const;

  /// What is measured on.
  const Dataset& held_out() const { return parts_.second; }

 private:
  std::pair<Dataset, Dataset> parts_;
  double start_ = 0.0;                // its accuracy; 0 if it was not measured
  std::optional<double> start_loss_;  // of whitened starts, whose losses are those of probabilities
};

}  // namespace cane

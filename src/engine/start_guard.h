// Sees that a training does not end below what needs none: its own start, the class means,
// the answer that is always the most frequent class, and probabilities that are the frequencies of
// the classes. Class means can be better than what a rate that is too high makes of them, and a few
// epochs do not always bring back what the first steps destroyed. Measured on validation data, or
// on a few examples that are held out of the training, before the first step and after the last.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "cane/config.h"
#include "cane/dataset.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Number of examples that are held out: at most one in a hundred, and no more than measure well; 0
/// if these would be too few to measure on.
std::size_t guarded_examples(const DatasetView& data);

class StartGuard {
 public:
  /// Whether examples are held out. `config`: the options as given, or for a resumed training those
  /// of the checkpoint. Not for data that is read from a file window by window.
  static bool applies(const TrainConfig& config, const DatasetView& data);

  /// `validation` may be null: then examples are held out.
  StartGuard(const Dataset& data, const Dataset* validation, std::uint64_t seed);

  /// What is left to train on.
  const Dataset& rest() const { return parts_.first; }

  void measure_start(const ModelData& model, const TrainState& state, ThreadPool& pool);
  enum class Better { kStart, kClassMeans, kMostFrequent };
  struct Finding {
    std::string text;  // for the user
    Better better;
  };
  /// What is better than these weights by more than noise; empty: nothing. The means are those of
  /// `data`, and measured where that takes little of the time of `epochs` over it.
  std::optional<Finding> find_better(const ModelData& model, const WeightTables& weights,
                                     const DatasetView& data, ThreadPool& pool) const;
  /// The same of the probabilities of a model, once they are calibrated.
  std::optional<std::string> find_better_probabilities(const ModelData& model,
                                                       ThreadPool& pool) const;

  /// What is measured on.
  const Dataset& held_out() const { return parts_.second; }

 private:
  std::pair<Dataset, Dataset> parts_;
  double start_ = 0.0;                // its accuracy; 0 if it was not measured
  std::optional<double> start_loss_;  // of whitened starts, whose losses are those of probabilities
};

}  // namespace cane

// Keeps further training from forgetting the classes of a model that its data lacks, or has fewer
// examples of than the model keeps: these are held.
// - What the model keeps of their examples is trained on beside the data, as often as it stands for
//   the examples of before, but in all not more often than there is data, or than once each. A part
//   is left out.
// - At the end the weights are a mixture of those of before and those that were learned, where the
//   rows of all other classes are the learned ones, and new classes lose a constant, the penalty,
//   from their scores. Share and penalty are those for which the accuracies on what was left out of
//   the kept examples and of the data have the largest sum.
// Without kept examples only the data can be measured: it gives up a little for the held classes,
// and the mixture is nearly all of before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cane/dataset.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

class OldClasses {
 public:
  /// `counts`: of the examples of each class that the model, or a checkpoint that continues it, was
  /// trained on before; `kept`: what it keeps of them. Empty if the data, read through the model
  /// with add_labels, has what it takes to remember all classes, or if nothing is known to hold
  /// them with: no example is kept, and no class is new.
  static std::optional<OldClasses> of(std::span<const std::uint64_t> counts,
                                      const KeptExamples& kept, const Dataset& data,
                                      std::uint64_t seed);

  /// What to train on: the data, without what is measured on, and kept examples.
  const Dataset& data() const { return train_; }

  /// What is left out of the data to measure on; null: too little of it, so nothing is.
  const DatasetView* unseen() const;

  /// Whether most of what the model has learned of held classes from is among it.
  bool holds_most() const { return holds_most_; }
  /// Accuracy of a finished model on held classes; 0 if nothing is kept to measure it on.
  double measure(const ModelData& model, ThreadPool& pool) const;

  /// Replaces the learned weights by the best mixture with those that the training began with, in
  /// the tables of `model`. Returns what was measured on held classes, if any is kept.
  std::optional<OldClassReport> settle(const ModelData& model, const TrainState& start,
                                       WeightTables& weights, ThreadPool& pool) const;

 private:
  OldClasses(std::span<const std::uint64_t> counts, const KeptExamples& kept, const Dataset& data,
             std::uint64_t seed);
  void replay(std::span<const std::uint64_t> counts, const KeptExamples& kept, std::uint64_t seed);

  std::vector<bool> is_new_;  // no examples of it before
  std::vector<bool> is_held_;
  bool holds_most_ = false;
  bool measures_unseen_ = false;
  Dataset train_;
  std::optional<Dataset> old_;  // examples of held classes to measure on
  Dataset new_;                 // and of the data
  bool leaves_out_ = false;     // of what is trained on
};

}  // namespace cane

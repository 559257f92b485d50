// From the first epoch to the last: progress, validation, the best weights, early stopping,
// checkpoints, and stopping in between when asked to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cane/train.h"
#include "train/trainer.h"

namespace cane {

/// The weights that did best on the validation data; none without validation data, or if only the
/// last are wanted.
struct BestWeights {
  WeightTables weights;
  std::shared_ptr<const RoutingState> routing;  // of an online tree that learns its tree
  double accuracy = -1.0;
  std::uint32_t epoch = 0;
};

struct FitHooks {
  TrainObserver* observer;
  /// Measures the current weights; empty: no validation data.
  std::function<Evaluation()> validate;
  /// Called between epochs, if there is one: may change the model, and returns the trainer from
  /// then on.
  std::function<Trainer*()> change_model;
  /// Keeps state, best weights and the seconds trained so far; empty: no checkpoints.
  std::function<void(double seconds)> save_checkpoint;
};

struct FitOutcome {
  bool interrupted = false;
  bool stopped_early = false;
};

/// `seconds_before`: how long earlier runs trained, when this one continues them.
FitOutcome fit(const TrainConfig& config, Trainer& trainer, TrainState& state, BestWeights& best,
               double seconds_before, const FitHooks& hooks);

}  // namespace cane

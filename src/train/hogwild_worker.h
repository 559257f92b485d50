// One thread of hogwild training: takes a batch, computes its gradient, and updates the weights,
// which all threads share without locks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/random.h"
#include "train/steps/online_learner.h"
#include "train/steps/step_worker.h"
#include "train/updater.h"

namespace cane {

class HogwildWorker {
 public:
  virtual ~HogwildWorker() = default;
  /// `random` is the generator of the epoch.
  virtual StepStats learn(std::span<const std::uint32_t> examples, float rate,
                          const CounterRandom& random) = 0;
};

/// Computes the gradient of the whole batch, then updates. The updater must outlive the worker.
std::unique_ptr<HogwildWorker> make_hogwild_worker(std::unique_ptr<StepWorker> step,
                                                   Updater& updater);

/// Trains example by example, each at the weights left by the previous one. Both arguments must
/// outlive the worker.
std::unique_ptr<HogwildWorker> make_hogwild_worker(OnlineLearner& learner, Updater& updater);

}  // namespace cane

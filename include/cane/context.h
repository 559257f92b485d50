// What a task runs with besides its options: the ranks that share it, and who observes it. The
// number of threads, the device and the seed are options, because a user sets them.
#pragma once

#include <utility>

#include "cane/ranks.h"

namespace cane {

class TrainObserver;

/// Cheap to copy. A function takes one as its last means, so that an observer or ranks can be given
/// as they are: `train(data, config, &observer)`, `evaluate(model, data, options, ranks)`.
struct Context {
  /// This process alone, unobserved.
  Context() = default;
  Context(TrainObserver* observed_by) : observer(observed_by) {}
  Context(Ranks shared_by, TrainObserver* observed_by = nullptr)
      : ranks(std::move(shared_by)), observer(observed_by) {}

  Ranks ranks;
  TrainObserver* observer = nullptr;  // null: none
};

}  // namespace cane

// One thread of a method that learns example by example, each at the weights that the one before
// has left: it steps its own tables while it learns, and leaves those of an encoder to its caller.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/random.h"
#include "step/step_worker.h"

namespace cane {

class ExampleWorker {
 public:
  virtual ~ExampleWorker() = default;

  /// Most examples of a call: 1 where the steps of one come before the next is encoded.
  virtual std::size_t most_examples() const = 0;
  /// `random` is the generator of the epoch.
  virtual StepStats learn(std::span<const std::uint32_t> examples, float rate,
                          const CounterRandom& random) = 0;
  /// Gradients of the last call, in other tables than its own; valid until the next.
  virtual std::span<const TableGradient> gradients() const = 0;
};

}  // namespace cane

// Trains configurations one after the other on the same part of the data, and evaluates each on the
// same held-out part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "cane/dataset.h"
#include "cane/tune.h"
#include "core/base/stopwatch.h"

namespace cane {

class TrialRunner {
 public:
  /// The seed selects the held-out examples and the examples of each share. `observer` must outlive
  /// the object. Throws Error if the held-out share is not possible.
  TrialRunner(const Dataset& data, double held_out, std::uint64_t seed, TuneObserver& observer);

  /// The training part of the data: everything that is not held out.
  const Dataset& rest() const { return parts_.first; }
  const Dataset& held_out() const { return parts_.second; }

  /// Trains for one pass over a share of rest(), or for `share` passes over all of it if `share` is
  /// 1 or more. The examples of a smaller share are also in a larger one. An Error in training is
  /// reported in the trial. Returns nothing if the observer requested a stop.
  std::optional<Trial> run(TrainConfig config, std::uint32_t rung, double share);

 private:
  class Relay;

  const Dataset& examples_for(double share);
  bool train_and_measure(const TrainConfig& config, Trial& trial);

  std::pair<Dataset, Dataset> parts_;  // training and held-out examples
  std::uint64_t seed_;
  TuneObserver& observer_;
  Stopwatch stopwatch_;
  std::size_t trials_ = 0;
  std::optional<Dataset> part_;  // the share `part_share_` of rest()
  double part_share_ = 0.0;
};

}  // namespace cane

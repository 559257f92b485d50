// Trains one configuration after the other on the same part of the data, and measures each on the
// same other part.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "cane/dataset.h"
#include "cane/tune.h"

namespace cane {

class TrialRunner {
 public:
  /// The seed decides which examples are held out, and which are in a share. `observer` must
  /// outlive this. Throws Error if the share cannot be held out.
  TrialRunner(const Dataset& data, double held_out, std::uint64_t seed, TuneObserver& observer);

  /// What trials train with, if they train with all of it.
  const Dataset& rest() const { return parts_.first; }

  /// One pass over a share of rest(), or `share` passes over all of it if that is 1 or more. The
  /// examples of a smaller share are also in a larger one. An Error in training is part of the
  /// trial; none if the observer asked to stop.
  std::optional<Trial> run(TrainConfig config, std::uint32_t rung, double share);

 private:
  class Relay;

  const Dataset& examples_for(double share);
  bool train_and_measure(const TrainConfig& config, Trial& trial);

  std::pair<Dataset, Dataset> parts_;  // to train with, and held out
  std::uint64_t seed_;
  TuneObserver& observer_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t trials_ = 0;
  std::optional<Dataset> part_;  // of rest(): its share `part_share_`
  double part_share_ = 0.0;
};

}  // namespace cane

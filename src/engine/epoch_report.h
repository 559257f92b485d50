// What a training tells of an epoch that has ended, wherever it ran.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cane/train.h"
#include "train/train_state.h"

namespace cane {

/// The sums of the epoch as a report, which lacks the validation; the state begins the next one.
/// `first_rate`: the learning rate at its first batch.
inline EpochReport end_epoch(TrainState& state, float first_rate) {
  const StepStats& totals = state.totals;
  EpochReport report;
  report.epoch = state.loop.epoch;
  report.loss = totals.loss / std::max(totals.weight, 1e-30);
  report.coverage = static_cast<double>(totals.covered) /
                    static_cast<double>(std::max<std::uint64_t>(totals.examples, 1));
  report.learning_rate = static_cast<double>(first_rate);
  report.seconds = state.loop.seconds;
  state.next_batch = 0;
  state.totals = {};
  return report;
}

}  // namespace cane

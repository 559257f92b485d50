// The pilot: before a training it measures the rate and the start that the options leave open, by
// trainings of a replica of the problem (tune/replica.h) from their start to their end. What is
// learned, and by which lists, follows from the sizes of the data (methods/resolve.h). The pilot
// takes a small share of the work of the training, counted, not timed: the same seed picks the same
// on any machine and any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"
#include "engine/start_source.h"
#include "methods/resolve.h"

namespace cane {

struct PilotLimits {
  /// Share of the work of the training.
  double share = 0.05;
  /// A training of less work, in multiply-adds, is over in a few seconds: there the pilot takes
  /// `short_work` at most, and looks at sparse rows only.
  double least_work = 4e10;
  double short_work = 4e10;
  /// On fewer examples the rates do not differ measurably.
  std::size_t fewest_examples = 2'000;
  std::size_t fewest_encoded_examples = 5'000;  // with an encoder
};

/// Classes of the replica; 0: a pilot does not pay, or nothing is open.
std::size_t pilot_classes(const TrainConfig& asked, const DataFacts& facts,
                          const PilotLimits& limits = {});

/// A short name: "cane narrow 20+1, rank 32, from zero". `config` must be resolved.
std::string setting_name(const TrainConfig& config);

/// The options with the choice filled in, and the trees and class means that were computed for it,
/// from all but a few examples: the training can start from them. They are null if no pilot ran.
struct PilotResult {
  TrainConfig config;
  std::shared_ptr<StartSource> source;
};

/// Returns the options as they are if no pilot pays, or if the observer, which gets a report of
/// what was measured, asks to stop. Throws Error if options contradict each other.
PilotResult run_pilot(const Dataset& data, const TrainConfig& asked, TrainObserver& observer,
                      const PilotLimits& limits = {});

}  // namespace cane

// The pilot: before a long training it measures what the options leave open, and picks. It measures
// how many of the labels each selector finds among all classes, before any step, and trains
// replicas of the problem (tune/replica.h) from their start to their end with each family of
// settings and several rates. It takes a small share of the work of the training, counted, not
// timed: the same seed picks the same setting on any machine and any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"
#include "engine/start_source.h"
#include "methods/resolve.h"

namespace cane {

struct PilotLimits {
  /// Share of the work of the training with the automatic setting.
  double share = 0.05;
  /// A training of less work, in multiply-adds, is over in a few seconds. There the pilot looks at
  /// the rate and the start only, of sparse rows, and takes `short_work` at most.
  double least_work = 4e10;
  double short_work = 4e10;
  /// On fewer examples the rates do not differ measurably.
  std::size_t fewest_examples = 2'000;
  std::size_t fewest_encoded_examples = 5'000;  // with an encoder
};

struct PilotPlan {
  std::vector<TrainConfig> settings;  // empty: a pilot does not pay, or nothing is open
  std::size_t classes = 0;            // of a replica
  std::size_t measured = 0;           // examples on which selectors are measured; 0: they are not
};
PilotPlan plan_pilot(const TrainConfig& asked, const DataFacts& facts,
                     const PilotLimits& limits = {});

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

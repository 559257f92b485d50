// The pilot of a training with an encoder: it finds the learning rate. A representation is learned
// from all classes together, so no smaller problem stands for the whole one; but the first part of
// an epoch over all classes already tells which rate is too high for how noisy the labels are, or
// too low for how much there is to learn.
#pragma once

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"
#include "tune/pilot.h"

namespace cane {

/// The options with the rate filled in; as they are if it is given, if no pilot pays, or if the
/// observer, which gets a report of what was measured, asks to stop.
TrainConfig run_encoder_pilot(const Dataset& data, const TrainConfig& asked, const DataFacts& facts,
                              TrainObserver& observer, const PilotLimits& limits);

}  // namespace cane

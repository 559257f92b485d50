// The work of training on one example, in multiply-adds: counted from the options and the shape of
// the data, so that a choice by cost is the same on every machine and for any number of threads. It
// tells which of two settings is cheaper, and by roughly how much; it is not a time.
#pragma once

#include "cane/config.h"
#include "methods/resolve.h"

namespace cane {

/// `config` must be resolved.
double step_work(const TrainConfig& config, const DataFacts& facts);

/// The same for all epochs over all examples.
double training_work(const TrainConfig& config, const DataFacts& facts);

/// The same for finding the best class of one example in prediction.
double prediction_work(const TrainConfig& config, const DataFacts& facts);

/// The same for scoring all classes, where prediction has not done so already.
double normalizer_work(const TrainConfig& config, const DataFacts& facts);

}  // namespace cane

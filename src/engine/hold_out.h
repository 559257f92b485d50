// Holds a few examples out of the data, in random order, and measures weights on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cane/dataset.h"
#include "core/base/thread_pool.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// The data without `count` examples (or fewer), and these. Every class keeps an example. The seed
/// selects them.
std::pair<Dataset, Dataset> hold_out(const Dataset& data, std::size_t count, std::uint64_t seed);

/// The share of the examples whose label these weights find best.
double accuracy_on(const Dataset& data, const ModelData& model, const WeightViews& weights,
                   ThreadPool& pool);

}  // namespace cane

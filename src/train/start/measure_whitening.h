// The scale of rows within their classes, measured on a sample.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/row_view.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "step/whitening.h"

namespace cane {

/// `centres`: the mean of each class, of total weight `class_weights`. The result does not depend
/// on the number of threads.
Whitening measure_whitening(const DatasetView& data, std::span<const RowView> centres,
                            std::span<const double> class_weights, std::uint64_t seed,
                            ThreadPool& pool);

/// The memory that it takes meanwhile and after.
std::uint64_t whitening_bytes(FeatureId dimension);

}  // namespace cane

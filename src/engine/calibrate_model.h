// Calibrates a model on data that was not trained on.
#pragma once

#include "cane/calibrate.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"

namespace cane {

/// Whether a calibration can be learned: the model has probabilities, and there are examples
/// enough.
bool can_calibrate(const ModelData& model, const DatasetView& data);

/// Requires can_calibrate().
CalibrateResult calibrate_model(const ModelData& model, const DatasetView& data,
                                const CalibrateOptions& options, ThreadPool& pool);

}  // namespace cane

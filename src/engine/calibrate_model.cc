#include "engine/calibrate_model.h"

#include <memory>
#include <utility>

#include "engine/method.h"
#include "methods/method_table.h"
#include "predict/fit_calibration.h"

namespace cane {

bool can_calibrate(const ModelData& model, const DatasetView& data) {
  return row_of(model.config.method).has_probabilities && data.size() >= kLeastToCalibrate;
}

CalibrateResult calibrate_model(const ModelData& model, const DatasetView& data,
                                const CalibrateOptions& options, ThreadPool& pool) {
  auto calibrated = std::make_shared<ModelData>(model);
  calibrated->calibration = {};
  const FitOptions fit_options = {.beam = search_widths(model, options.beam).beam,
                                  .probability = resolve_probability(model, options.probability),
                                  .noises = options.noises};
  CalibrationFit fit = fit_calibration(make_predictor(*calibrated, calibrated->weights), data,
                                       model.class_counts, fit_options, pool);
  calibrated->calibration = std::move(fit.calibration);
  return {.model = Model(std::move(calibrated)),
          .groups = fit.groups,
          .examples = fit.examples,
          .error_before = fit.error_before,
          .error_after = fit.error_after};
}

}  // namespace cane

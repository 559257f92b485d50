// Learns a calibration from examples that were not trained on (model/calibration.h says what one
// is): temperatures by the likelihood of the labels, over a grid; then the shares of right answers
// by isotonic regression.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cane/calibrate.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "model/calibration.h"
#include "predict/batch_predictor.h"

namespace cane {

struct CalibrationFit {
  Calibration calibration;
  std::array<GroupTemperature, kFrequencyGroups> groups;
  std::uint64_t examples = 0;
  double error_before = 0.0;  // expected calibration error on the examples it was learned from
  double error_after = 0.0;
};

struct FitOptions {
  std::uint32_t beam = 1;
  Probability probability = Probability::kExact;  // kEstimate or kExact
  std::uint32_t noises = 64;
};

/// `predictor` must have probabilities and no calibration. At most kMaxToCalibrate examples of
/// `data`, evenly spread, are used, and fewer where an exact normaliser makes them expensive.
/// Results do not depend on the number of threads.
inline constexpr std::size_t kMaxToCalibrate = 20'000;
CalibrationFit fit_calibration(const BatchPredictor& predictor, const DatasetView& data,
                               std::span<const std::uint64_t> class_counts,
                               const FitOptions& options, ThreadPool& pool);

}  // namespace cane

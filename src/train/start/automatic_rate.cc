#include "train/start/automatic_rate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/weights/parameter_table.h"
#include "linear/weights/row_scaling.h"
#include "methods/device.h"
#include "methods/resolve.h"
#include "train/start/feature_scales.h"
#include "train/start/start_means.h"

namespace cane {
namespace {

// Tuned on ALOI, CLINC150 and synthetic data; the AdaGrad value is hardly tuned. An update along a
// path moves many classes at once, hence the lower step.
constexpr double kDenseStep = 10.0;
constexpr double kSparseStep = 4.0;
constexpr double kDensePathStep = 8.0;
constexpr double kSparsePathStep = 2.0;
// Of a hierarchical softmax. The best steps are 2 on ALOI and synthetic data and 8 on Hangul; half
// way costs each of them a point or less.
constexpr double kDenseNodeStep = 4.0;
constexpr double kAdaptiveStep = 2.0;
// A noise that a batch shares stands for many classes, and its row takes the steps of all examples.
constexpr double kSharedFactor = 0.5;
// If the initial loss is below this share of a blind guess's, steps are scaled by this factor.
constexpr double kNearStart = 0.1;
constexpr float kNearFactor = 0.2F;
// Evenly spaced examples used to estimate the scale.
constexpr std::size_t kSample = 10000;
// Rows read before their pages are dropped, for data that does not fit into memory.
constexpr std::size_t kStretch = 500;

// Online trees with features on one scale: an adaptive step is as long as the rate, and changes the
// score by that times the square root of the length of a row.
constexpr double kOnlineStep = 0.5;

double online_rate(const DatasetView& data) {
  const std::vector<float> scales = feature_scales(data);
  const RowScaling scaling(scales);
  std::vector<float> scratch(data.is_dense() ? data.dimension() : 0);
  std::vector<float> scaled;
  const std::size_t step = std::max<std::size_t>(data.size() / kSample, 1);
  double squares = 0.0;
  double examples = 0.0;
  for (std::size_t i = 0; i < data.size(); i += step, examples += 1.0) {
    const RowView row = scaling.scale(data.row(i, scratch), scaled);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      squares += static_cast<double>(row.values[p]) * static_cast<double>(row.values[p]);
    }
  }
  return kOnlineStep / std::sqrt(squares / examples + 1.0);
}

double sgd_step(const TrainConfig& config, std::uint32_t classes, bool dense) {
  if (dense && row_of(config.method).is_hierarchical) return kDenseNodeStep;
  if (has_path_scorer(config)) return dense ? kDensePathStep : kSparsePathStep;
  const double step =
      (dense ? kDenseStep : kSparseStep) * row_of(config.method).rate_scale(classes);
  return shares_lists(config) ? kSharedFactor * step : step;
}

}  // namespace

float device_factor(const TrainConfig& config) {
  const MethodRow& method = row_of(config.method);
  const bool sums = trains_on_device(config) && method.trains_all_classes && has_encoder(config) &&
                    row_of(config.optimizer).is_adaptive;
  return sums ? row_of(SelectorKind::kNone).encoded_rate / method.encoded_rate : 1.0F;
}

float automatic_rate(const DatasetView& data, const TrainConfig& config, std::uint32_t classes,
                     std::shared_ptr<const Whitening> whitening) {
  const float factor = device_factor(config);
  // The output of an encoder does not have the scale of the features.
  if (has_encoder(config)) {
    const bool selects = row_of(config.method).has_candidates;
    const float rate = selects ? row_of(config.select).encoded_rate : 0.0F;
    return factor * (rate > 0.0F ? rate : row_of(config.method).encoded_rate);
  }
  if (is_online_tree(config)) return static_cast<float>(online_rate(data));
  if (whitens(config, data.density()) && whitening == nullptr) {
    ThreadPool pool(config.threads);
    whitening = StartMeans(data, classes, config.seed).whitening(pool);
  }
  const std::size_t pitch = Whitening::row_pitch(data.dimension() + 1);
  AlignedBuffer<float> inputs(whitening != nullptr ? 2 * pitch : 0);
  std::vector<float> turning;
  std::vector<float> scratch(data.is_dense() ? data.dimension() : 0);
  const std::size_t step = std::max<std::size_t>(data.size() / kSample, 1);
  double squares = 0.0;
  double absolutes = 0.0;
  double examples = 0.0;
  const bool drops_rows = data.is_mapped() && is_large(data.stored_bytes());
  std::size_t begin = 0;  // the first row that may still be in memory
  for (std::size_t i = 0; i < data.size(); i += step, examples += 1.0) {
    if (drops_rows && i - begin >= kStretch * step) {
      data.drop_rows(begin, i);
      begin = i;
    }
    const RowView row = data.row(i, scratch);
    if (whitening != nullptr) {
      fill_inputs(std::span(&row, 1), data.dimension(), pitch, inputs.data());
      whitening->turn(inputs.data(), 1, pitch, turning, inputs.data() + pitch);
      squares += whitening->product(inputs.data(), inputs.data() + pitch);
      continue;
    }
    for (std::uint32_t p = 0; p < row.count; ++p) {
      const auto value = static_cast<double>(row.values[p]);
      squares += value * value;
      absolutes += std::abs(value);
    }
  }
  const bool dense = has_dense_rows(config, data.density());
  const double rate = row_of(config.optimizer).is_adaptive
                          ? kAdaptiveStep / (absolutes / examples + 1.0)
                          : sgd_step(config, classes, dense) / (squares / examples + 1.0);
  return factor * static_cast<float>(rate);
}

float rate_factor(const TrainConfig& config, double density, double loss_share) {
  if (is_online_tree(config) || !has_dense_rows(config, density)) return 1.0F;
  const bool is_plain_on_rows = !row_of(config.optimizer).is_adaptive && !has_path_scorer(config);
  return is_plain_on_rows && loss_share < kNearStart ? kNearFactor : 1.0F;
}

}  // namespace cane

#include "train/steps/matrix_step.h"

#include <cmath>

#include "core/simd/softmax_kernels.h"
#include "linear/weights/parameter_table.h"

namespace cane {

StepStats MatrixStep::compute(std::span<const std::uint32_t> examples,
                              const CounterRandom& /*random*/) {
  const auto rows = rows_.gather(data_, examples, true);
  const std::uint32_t classes = scorer_.classes();
  const std::size_t pitch = scorer_.all_pitch();
  steps_.resize(examples.size() * pitch);
  scorer_.score_all(rows, scratch_, pitch, steps_.data());
  StepStats totals;
  totals.examples = examples.size();
  totals.covered = examples.size();
  totals.rows_scored = std::uint64_t{classes} * examples.size();
  for (std::size_t e = 0; e < examples.size(); ++e) {
    float* steps = steps_.data() + e * pitch;
    const ClassId label = data_.label(examples[e]);
    const float high = max_of(steps, classes);
    const float label_score = steps[label] - high;
    const float sum = exp_and_sum(steps, classes, high, steps);
    const float weight = data_.weight(examples[e]);
    totals.loss += static_cast<double>(weight) * static_cast<double>(std::log(sum) - label_score);
    totals.weight += static_cast<double>(weight);
    // In place: the gradient, then its product with minus the weight.
    for (std::uint32_t k = 0; k < classes; ++k) steps[k] *= 1.0F / sum;
    steps[label] -= 1.0F;
    const float scale = -clipped_weight(weight, clip_, std::span(steps, classes), rows[e]);
    for (std::uint32_t k = 0; k < classes; ++k) steps[k] *= scale;
  }
  gradient_ = {.table = kClassTable,
               .parts = nullptr,
               .rows = {},
               .dense = {.classes = classes,
                         .examples = examples.size(),
                         .steps = steps_.data(),
                         .steps_pitch = pitch,
                         .inputs = scratch_.inputs.data(),
                         .inputs_pitch = scorer_.layout().pitch()}};
  return totals;
}

}  // namespace cane

#include "online/online_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cane {
namespace {

// An overflowing sum of squares would silently stop a row from learning.
bool is_within_reach(const RowView& row) {
  return std::isfinite(std::inner_product(row.values, row.values + row.count, row.values, 0.0F));
}

}  // namespace

StepStats OnlineLearner::learn(std::span<const std::uint32_t> examples, float rate,
                               const CounterRandom& random, Scratch& scratch) {
  const DatasetView& data = *inputs_.data;
  StepStats totals;
  scratch.gradients.clear();
  const auto rows = scratch.rows.gather(examples, inputs_.dense, random);
  const std::size_t dimension = has_encoder() ? rows[0].count : 0;
  scratch.input_steps.assign(examples.size() * dimension, 0.0F);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const float weight = data.weight(examples[i]);
    ++totals.examples;
    if (weight == 0.0F) continue;
    totals.weight += static_cast<double>(weight);
    if (has_encoder() && !is_within_reach(rows[i])) {
      totals.loss = std::numeric_limits<double>::quiet_NaN();
      return totals;
    }
    float* input_steps = has_encoder() ? scratch.input_steps.data() + i * dimension : nullptr;
    learn_example({scaling_.scale(rows[i], scratch.scaled), data.label(examples[i]), weight, rate,
                   input_steps},
                  scratch, totals);
  }
  const bool was_pulled = std::any_of(scratch.input_steps.begin(), scratch.input_steps.end(),
                                      [](float step) { return step != 0.0F; });
  if (was_pulled) scratch.rows.back(scratch.input_steps, scratch.gradients);
  return totals;
}

}  // namespace cane

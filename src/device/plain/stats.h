// The sums of all steps since they were last taken.
#pragma once

#include <cstdint>

#include "device/plain/batch.h"

namespace cane::device {

struct Totals {
  double loss = 0.0;
  double weight = 0.0;
  double covered = 0.0;
  double scored = 0.0;
  std::uint64_t examples = 0;
};

/// Adds what the examples of a step have left. One item.
struct AddTotals {
  BatchView batch;
  std::uint32_t places;
  ExampleResults results;
  Totals* totals;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t /*item*/, const Lanes& lanes) const {
    const float loss = sum(results.losses, lanes);
    const float weight = sum(batch.weights, lanes);
    const float covered = sum(results.covered, lanes);
    const float scored = sum(results.scored, lanes);
    if (!lanes.owns(0)) return;
    totals->loss += static_cast<double>(loss);
    totals->weight += static_cast<double>(weight);
    totals->covered += static_cast<double>(covered);
    totals->scored += static_cast<double>(scored);
    totals->examples += batch.step->count;
  }

 private:
  template <typename Lanes>
  CANE_HOST_DEVICE float sum(const float* values, const Lanes& lanes) const {
    float own = 0.0F;
    for (std::uint32_t i = lanes.from(0); i < places; i += lanes.stride()) own += values[i];
    return lanes.sum(own);
  }
};

}  // namespace cane::device

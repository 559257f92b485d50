// The table of optimisers. To add an optimiser, add a class in linear/optimizers, a case in
// make_optimizer and a row here.
#pragma once

#include <array>
#include <cstdint>

#include "cane/config.h"
#include "methods/rows.h"

namespace cane {

struct OptimizerRow {
  OptimizerKind kind = OptimizerKind::kAuto;
  const char* name = "";
  const char* summary = "";

  /// Steps are divided by the accumulated gradient, so their initial length is roughly the learning
  /// rate, whatever the length of the gradient.
  bool is_adaptive = false;
  /// Floats of state per row of weights.
  std::uint32_t floats_per_row = 0;
};

inline constexpr std::array kOptimizers = {
    OptimizerRow{.kind = OptimizerKind::kAuto,
                 .name = "auto",
                 .summary = "sgd; adagrad where an encoder or an online tree learns"},
    OptimizerRow{
        .kind = OptimizerKind::kSgd, .name = "sgd", .summary = "stochastic gradient descent"},
    OptimizerRow{.kind = OptimizerKind::kAdagrad,
                 .name = "adagrad",
                 .summary = "steps that shrink with the squares of a row's gradients",
                 .is_adaptive = true,
                 .floats_per_row = 1}};
static_assert(is_in_order(kOptimizers));

constexpr const OptimizerRow& row_of(OptimizerKind optimizer) {
  return row_at(kOptimizers, optimizer);
}

}  // namespace cane

// One optimiser step over all parameters and tables at once, in plain pointers: dense parameters,
// and tables of which only some rows have a gradient. Rate, step and lengths stay on the device.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/plain/update_rule.h"

namespace cane::kernels {

struct UpdateSlot {
  const std::int64_t* rows = nullptr;  // [count] distinct rows, or -1 with zeros; null: all rows
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t gradient_stride = 0;  // from a row of the gradient to the next
  const float* gradient = nullptr;   // [count, width]
  float* values = nullptr;           // [rows of the table, width], and so are the moments
  std::uint16_t* bfloats = nullptr;  // these instead, where the table is bfloat16
  float* first = nullptr;            // Adam: mean of gradients
  float* second = nullptr;           // AdaGrad: sum of squares; Adam: mean of squares
};

struct UpdateTask {
  UpdateRule rule = UpdateRule::kSgd;
  RuleOptions options;
  std::span<const UpdateSlot> slots;
  float clip = 0.0F;                   // bound on the norm over all slots; 0: none
  const float* rate = nullptr;         // one value
  const std::int64_t* step = nullptr;  // one value, counts from zero
  double* square_sum = nullptr;        // one value, scratch
};

/// The step on the CPU. Results do not depend on the number of threads.
namespace cpu {
void update(const UpdateTask& task);
}

}  // namespace cane::kernels

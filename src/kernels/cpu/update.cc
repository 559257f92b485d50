#include "kernels/plain/update_task.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/instruction_sets.h"
#include "kernels/plain/numbers.h"

namespace cane::kernels::cpu {
namespace {

constexpr std::int64_t kNumbersPerPart = 1 << 15;
constexpr std::int64_t kNumbersAtOnce = 512;  // of bfloat16, as floats

CANE_CLONES double square_sum(const float* values, std::int64_t count) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  return sum;
}

CANE_CLONES void update_sgd(const StepNumbers& step, const float* gradient, std::int64_t count,
                            float* values, float* /*first*/, float* /*second*/) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    update_number<UpdateRule::kSgd>(step, gradient[i], values[i], nullptr, nullptr);
  }
}

CANE_CLONES void update_adagrad(const StepNumbers& step, const float* gradient, std::int64_t count,
                                float* values, float* /*first*/, float* second) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    update_number<UpdateRule::kAdagrad>(step, gradient[i], values[i], nullptr, second + i);
  }
}

CANE_CLONES void update_adam(const StepNumbers& step, const float* gradient, std::int64_t count,
                             float* values, float* first, float* second) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    update_number<UpdateRule::kAdam>(step, gradient[i], values[i], first + i, second + i);
  }
}

auto updater(UpdateRule rule) {
  return rule == UpdateRule::kSgd ? &update_sgd
                                  : (rule == UpdateRule::kAdagrad ? &update_adagrad : &update_adam);
}

std::int64_t rows_of_part(const UpdateSlot& slot) {
  return std::max<std::int64_t>(kNumbersPerPart / std::max<std::int64_t>(slot.width, 1), 1);
}

std::int64_t parts_of(const UpdateSlot& slot) {
  return (slot.count + rows_of_part(slot) - 1) / rows_of_part(slot);
}

/// Calls body(part, gradient, place, count) for contiguous stretches of numbers. Parts are the
/// units that threads divide among themselves; they depend on the slot alone.
template <typename Body>
void for_each_stretch(const UpdateSlot& slot, const Body& body) {
  const std::int64_t rows_per_part = rows_of_part(slot);
  const bool is_one = slot.rows == nullptr && slot.gradient_stride == slot.width;
  at::parallel_for(0, parts_of(slot), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      const std::int64_t begin = part * rows_per_part;
      const std::int64_t end = std::min(begin + rows_per_part, slot.count);
      if (is_one) {
        body(part, slot.gradient + begin * slot.width, begin * slot.width,
             (end - begin) * slot.width);
        continue;
      }
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = slot.rows == nullptr ? i : slot.rows[i];
        if (row < 0) continue;
        body(part, slot.gradient + i * slot.gradient_stride, row * slot.width, slot.width);
      }
    }
  });
}

/// Calls body(from, size) for parts of a stretch that fit into an array on the stack.
template <typename Body>
void in_parts(std::int64_t count, const Body& body) {
  for (std::int64_t from = 0; from < count; from += kNumbersAtOnce) {
    body(from, std::min(kNumbersAtOnce, count - from));
  }
}

double length_of(const UpdateSlot& slot) {
  std::vector<double> sums(static_cast<std::size_t>(parts_of(slot)), 0.0);
  for_each_stretch(
      slot, [&](std::int64_t part, const float* gradient, std::int64_t /*at*/, std::int64_t count) {
        sums[static_cast<std::size_t>(part)] += square_sum(gradient, count);
      });
  double sum = 0.0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace

void update(const UpdateTask& task) {
  double squares = 0.0;
  if (task.clip > 0.0F) {
    for (const UpdateSlot& slot : task.slots) squares += length_of(slot);
    *task.square_sum = squares;
  }
  const StepNumbers step =
      step_numbers(task.rule, task.options, *task.rate, *task.step, task.clip, squares);
  const auto apply = updater(task.rule);
  for (const UpdateSlot& slot : task.slots) {
    for_each_stretch(slot, [&](std::int64_t /*part*/, const float* gradient, std::int64_t at,
                               std::int64_t count) {
      // A rule without moments has null pointers for them.
      float* const first = slot.first == nullptr ? nullptr : slot.first + at;
      float* const second = slot.second == nullptr ? nullptr : slot.second + at;
      if (slot.bfloats == nullptr) {
        apply(step, gradient, count, slot.values + at, first, second);
      } else {
        in_parts(count, [&](std::int64_t from, std::int64_t size) {
          float values[kNumbersAtOnce];
          std::uint16_t* const stored = slot.bfloats + at + from;
          for (std::int64_t i = 0; i < size; ++i) values[i] = Numbers::widened(stored[i]);
          apply(step, gradient + from, size, values, first == nullptr ? nullptr : first + from,
                second == nullptr ? nullptr : second + from);
          for (std::int64_t i = 0; i < size; ++i) {
            stored[i] = rounded_at_random(values[i], at + from + i, *task.step);
          }
        });
      }
    });
  }
}

}  // namespace cane::kernels::cpu

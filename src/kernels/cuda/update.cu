#include "kernels/cuda/update.h"

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/plain/numbers.h"

namespace cane::kernels::cuda {
namespace {

constexpr std::size_t kSlotsPerLaunch = 16;
constexpr std::int64_t kNumbersPerThread = 4;
constexpr unsigned kMaxBlocks = 4096;

/// Passed to the kernel by value; blockIdx.y is the slot.
struct SlotList {
  UpdateSlot slots[kSlotsPerLaunch];
  unsigned count = 0;
  unsigned blocks = 1;  // for the largest slot
};

/// Calls body(gradient, place in the table) for the numbers of this thread.
template <typename Body>
__device__ void for_each_number(const UpdateSlot& slot, const Body& body) {
  const auto numbers = static_cast<std::uint64_t>(slot.count * slot.width);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t from = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot.rows == nullptr && slot.gradient_stride == slot.width) {
    for (std::uint64_t i = from; i < numbers; i += stride) body(slot.gradient[i], i);
    return;
  }
  const auto width = static_cast<std::uint32_t>(slot.width);
  for (std::uint64_t i = from; i < numbers; i += stride) {
    // Indices are far below 2^32; a 64-bit division would take longer than everything else.
    const std::uint32_t place = static_cast<std::uint32_t>(i) / width;
    const std::uint32_t column = static_cast<std::uint32_t>(i) - place * width;
    const std::int64_t row = slot.rows == nullptr ? place : slot.rows[place];
    if (row >= 0) body(slot.gradient[place * slot.gradient_stride + column], row * width + column);
  }
}

__global__ void square_sum_kernel(SlotList list, double* sum) {
  __shared__ float scratch[kMaxThreads / kWarp];
  float squares = 0.0F;
  for_each_number(list.slots[blockIdx.y],
                  [&](float gradient, std::int64_t /*at*/) { squares += gradient * gradient; });
  const float all = BlockLanes{scratch}.sum(squares);
  if (threadIdx.x == 0 && all != 0.0F) atomicAdd(sum, static_cast<double>(all));
}

template <UpdateRule kRule>
__global__ void update_kernel(SlotList list, UpdateTask task) {
  const UpdateSlot& slot = list.slots[blockIdx.y];
  // Powers in double precision cost more than all else that a thread does.
  __shared__ StepNumbers step;
  if (threadIdx.x == 0) {
    step = step_numbers(kRule, task.options, *task.rate, *task.step, task.clip,
                        task.clip > 0.0F ? *task.square_sum : 0.0);
  }
  __syncthreads();
  if (slot.bfloats == nullptr) {
    for_each_number(slot, [&](float gradient, std::int64_t at) {
      update_number<kRule>(step, gradient, slot.values[at], slot.first + at, slot.second + at);
    });
    return;
  }
  for_each_number(slot, [&](float gradient, std::int64_t at) {
    float value = Numbers::widened(slot.bfloats[at]);
    update_number<kRule>(step, gradient, value, slot.first + at, slot.second + at);
    slot.bfloats[at] = rounded_at_random(value, at, *task.step);
  });
}

SlotList list_of(std::span<const UpdateSlot> slots) {
  SlotList list;
  std::int64_t most = 1;
  for (const UpdateSlot& slot : slots) {
    const std::int64_t numbers = slot.count * slot.width;
    if (slot.rows != nullptr && numbers >= (std::int64_t{1} << 32)) {
      throw std::runtime_error("update: too many rows in one step");
    }
    list.slots[list.count++] = slot;
    most = std::max(most, numbers);
  }
  list.blocks = std::min(blocks_for(most, kMaxThreads * kNumbersPerThread), kMaxBlocks);
  return list;
}

template <UpdateRule kRule>
void launch(const SlotList& list, const UpdateTask& task, cudaStream_t stream) {
  update_kernel<kRule><<<dim3(list.blocks, list.count), kMaxThreads, 0, stream>>>(list, task);
}

/// Splits the slots into as many lists as needed, and calls body(list) for each.
template <typename Body>
void for_each_list(std::span<const UpdateSlot> slots, const Body& body) {
  for (std::size_t begin = 0; begin < slots.size(); begin += kSlotsPerLaunch) {
    body(list_of(slots.subspan(begin, std::min(kSlotsPerLaunch, slots.size() - begin))));
  }
}

}  // namespace

void update(const UpdateTask& task, cudaStream_t stream) {
  if (task.clip > 0.0F) {
    cudaMemsetAsync(task.square_sum, 0, sizeof(double), stream);
    for_each_list(task.slots, [&](const SlotList& list) {
      square_sum_kernel<<<dim3(list.blocks, list.count), kMaxThreads, 0, stream>>>(list,
                                                                                   task.square_sum);
    });
  }
  for_each_list(task.slots, [&](const SlotList& list) {
    switch (task.rule) {
      case UpdateRule::kSgd:
        return launch<UpdateRule::kSgd>(list, task, stream);
      case UpdateRule::kAdagrad:
        return launch<UpdateRule::kAdagrad>(list, task, stream);
      case UpdateRule::kAdam:
        return launch<UpdateRule::kAdam>(list, task, stream);
    }
  });
  check_launch("update");
}

}  // namespace cane::kernels::cuda

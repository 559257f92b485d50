// The optimiser step on the GPU: two kernels for all slots. Nothing is allocated and nothing waits
// for the device, so the step can be recorded in a graph. Throws std::runtime_error if a launch is
// refused.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/plain/update_task.h"

namespace cane::kernels::cuda {

void update(const UpdateTask& task, cudaStream_t stream);

}  // namespace cane::kernels::cuda

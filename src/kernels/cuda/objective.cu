// A block handles the row of an example, in shared memory if it fits: read once, written once.
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace cane::kernels::cuda {
namespace {

// The shared memory that a block gets by default, less what the kernel itself needs.
constexpr std::int64_t kMaxStagedColumns = (47 * 1024) / static_cast<std::int64_t>(sizeof(float));

struct CandidatesBody {
  template <typename Lanes>
  __device__ void operator()(const ObjectiveArguments& task, std::int64_t example, float* scores,
                             const Lanes& lanes) const {
    candidates_objective(task, example, scores, lanes);
  }
};

template <typename Objective>
struct LabelBody {
  Objective objective;
  template <typename Lanes>
  __device__ void operator()(const ObjectiveArguments& task, std::int64_t example, float* scores,
                             const Lanes& lanes) const {
    label_objective(objective, task, example, scores, lanes);
  }
};

template <typename Body>
__global__ void objective_kernel(Body body, ObjectiveArguments task, bool is_staged) {
  extern __shared__ float staged[];
  __shared__ float scratch[kMaxThreads / kWarp];
  const std::int64_t example = blockIdx.x;
  const std::int64_t columns = task.candidates.shape.stride();
  float* row = task.scores + example * columns;
  float* scores = is_staged ? staged : row;
  // A thread copies the places that it owns as a lane, so no barrier is needed.
  for (std::int64_t i = threadIdx.x; is_staged && i < columns; i += blockDim.x) staged[i] = row[i];
  body(task, example, scores, BlockLanes{scratch});
  for (std::int64_t i = threadIdx.x; is_staged && i < columns; i += blockDim.x) row[i] = staged[i];
}

template <typename Body>
void launch(const Body& body, const ObjectiveArguments& task, cudaStream_t stream) {
  const ShortlistShape& shape = task.candidates.shape;
  const bool is_staged = shape.stride() <= kMaxStagedColumns;
  const std::size_t bytes =
      is_staged ? static_cast<std::size_t>(shape.stride()) * sizeof(float) : 0;
  objective_kernel<<<static_cast<unsigned>(shape.examples), threads_for(shape.columns() / 4), bytes,
                     stream>>>(body, task, is_staged);
  check_launch("objective");
}

}  // namespace

void objective(Method kind, std::uint32_t classes, const ObjectiveArguments& task,
               cudaStream_t stream) {
  if (row_of(kind).has_candidates) {
    launch(CandidatesBody{}, task, stream);
    return;
  }
  with_objective(kind, classes, [&](const auto& functor) {
    launch(LabelBody<std::decay_t<decltype(functor)>>{functor}, task, stream);
  });
}

}  // namespace cane::kernels::cuda

// The proposal on the GPU. The pass over all classes, B x K x rank multiply-adds, decides: a thread
// keeps the features of its example in registers, and the rows of a block of classes, read once
// from memory for kMaxThreads examples, lie in shared memory, where all threads of a warp read the
// same four numbers at a time. So four multiply-adds go with one load, and what is written is two
// numbers for each block of classes: for B = 1,024, K = 100,000 and rank 32 that is 3.3 G
// multiply-adds and 13 MB of rows, bound by arithmetic. The other two kernels look at few blocks.
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace cane::kernels::cuda {
namespace {

constexpr std::int64_t kMaxRank = 64;
constexpr std::int64_t kRowsAtATime = 32;

// blockIdx.x: a block of classes; blockIdx.y: kMaxThreads examples. kRank is the width rounded up;
// numbers beyond the width are zero.
template <int kRank>
__global__ void sum_blocks_kernel(BlockArguments task) {
  __shared__ float4 rows[kRowsAtATime][kRank / 4];
  __shared__ float biases[kRowsAtATime];
  const ProposalView& proposal = task.proposal;
  const std::int64_t block = blockIdx.x;
  const std::int64_t example = std::int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  const bool is_example = example < proposal.examples;
  float features[kRank];
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    features[i] =
        is_example && i < proposal.width ? proposal.features[example * proposal.width + i] : 0.0F;
  }
  LogSum sum;
  const std::int64_t end = proposal.end_of(block);
  for (std::int64_t begin = block * proposal.block; begin < end; begin += kRowsAtATime) {
    const std::int64_t count = end - begin < kRowsAtATime ? end - begin : kRowsAtATime;
    for (std::int64_t i = threadIdx.x; i < count * kRank; i += blockDim.x) {
      const std::int64_t row = proposal.class_at(begin + i / kRank);
      const std::int64_t column = i % kRank;
      reinterpret_cast<float*>(rows)[i] =
          column < proposal.width ? proposal.rows[row * proposal.width + column] : 0.0F;
      if (column == 0) biases[i / kRank] = proposal.bias[row];
    }
    __syncthreads();
    for (std::int64_t r = 0; r < count; ++r) {
      float score = 0.0F;
#pragma unroll
      for (int i = 0; i < kRank / 4; ++i) {
        const float4 part = rows[r][i];
        score += features[4 * i] * part.x + features[4 * i + 1] * part.y +
                 features[4 * i + 2] * part.z + features[4 * i + 3] * part.w;
      }
      sum.add(score + biases[r]);
    }
    __syncthreads();
  }
  if (!is_example) return;
  task.high[block * proposal.examples + example] = sum.high;
  task.log_mass[block * proposal.examples + example] = sum.value();
}

// A warp for each (example, candidate) or (example, noise): its threads share the members of a
// block, whose rows lie side by side.
__global__ void leave_out_kernel(OutsideArguments task) {
  __shared__ float scratch[1];
  leave_out(task, blockIdx.x / task.candidates.count, blockIdx.x % task.candidates.count,
            BlockLanes{scratch});
}

__global__ void proposal_noise_kernel(ProposalNoiseArguments task) {
  __shared__ float scratch[1];
  draw_outside(task, blockIdx.x / (1 + task.noises), blockIdx.x % (1 + task.noises),
               BlockLanes{scratch});
}

}  // namespace

void sum_blocks(const BlockArguments& task, cudaStream_t stream) {
  const ProposalView& proposal = task.proposal;
  if (proposal.width > kMaxRank) throw std::runtime_error("sum_blocks: the rank is at most 64");
  if (proposal.examples == 0) return;
  const dim3 grid(static_cast<unsigned>(proposal.blocks()),
                  blocks_for(proposal.examples, kMaxThreads));
  if (proposal.width <= 16) {
    sum_blocks_kernel<16><<<grid, kMaxThreads, 0, stream>>>(task);
  } else if (proposal.width <= 32) {
    sum_blocks_kernel<32><<<grid, kMaxThreads, 0, stream>>>(task);
  } else {
    sum_blocks_kernel<kMaxRank><<<grid, kMaxThreads, 0, stream>>>(task);
  }
  check_launch("sum_blocks");
}

void leave_out_candidates(const OutsideArguments& task, cudaStream_t stream) {
  const std::int64_t items = task.proposal.examples * task.candidates.count;
  if (items == 0) return;
  leave_out_kernel<<<static_cast<unsigned>(items), kWarp, 0, stream>>>(task);
  check_launch("leave_out_candidates");
}

void draw_proposal_noises(const ProposalNoiseArguments& task, cudaStream_t stream) {
  const std::int64_t items = task.proposal.examples * (1 + task.noises);
  if (items == 0) return;
  proposal_noise_kernel<<<static_cast<unsigned>(items), kWarp, 0, stream>>>(task);
  check_launch("draw_proposal_noises");
}

}  // namespace cane::kernels::cuda

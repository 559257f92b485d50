#include "lm/body/cuda/folded_lstm.h"

#include <cooperative_groups.h>
#include <mma.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace cane::lm::cuda {
namespace {

namespace wmma = nvcuda::wmma;

// Each block computes a tile of cells and streams.
constexpr int kTile = 16;
constexpr int kGates = 4;
constexpr int kWarps = 16;
constexpr int kThreads = kWarps * 32;
constexpr int kPartialNumbers = kWarps * kTile * kTile;
// Every warp computes the same number of whole 16-wide products along `hidden`.
constexpr std::int64_t kHiddenUnit = 64;

// Padding of the rows in shared memory, so that the rows of a tile start in different banks.
template <typename Number>
constexpr unsigned kPadding = 16 / sizeof(Number);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

template <typename Number>
struct Product;

template <>
struct Product<float> {
  static constexpr int kDepth = 8;
  using Element = wmma::precision::tf32;
  template <typename Fragment>
  static __device__ void round(Fragment& fragment) {
    for (int i = 0; i < fragment.num_elements; ++i) {
      fragment.x[i] = wmma::__float_to_tf32(fragment.x[i]);
    }
  }
};

template <>
struct Product<__nv_bfloat16> {
  static constexpr int kDepth = 16;
  using Element = __nv_bfloat16;
  template <typename Fragment>
  static __device__ void round(Fragment& /*fragment*/) {}
};

/// Product of left [16, depth] and the transpose of right [16, depth]: a tile of 16 x 16.
template <typename Number>
__device__ void multiply(const Number* left, std::int64_t left_stride, const Number* right,
                         std::int64_t right_stride, std::int64_t depth, float* tile) {
  using Rule = Product<Number>;
  constexpr int kDepth = Rule::kDepth;
  wmma::fragment<wmma::matrix_a, kTile, kTile, kDepth, typename Rule::Element, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kDepth, typename Rule::Element, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, kTile, kTile, kDepth, float> sum;
  wmma::fill_fragment(sum, 0.0F);
#pragma unroll 16
  for (std::int64_t k = 0; k < depth; k += kDepth) {
    wmma::load_matrix_sync(a, left + k, static_cast<unsigned>(left_stride));
    wmma::load_matrix_sync(b, right + k, static_cast<unsigned>(right_stride));
    Rule::round(a);
    Rule::round(b);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(tile, sum, kTile, wmma::mem_row_major);
}

#else

// folded_lstm_fits rejects devices that do not support these products.
template <typename Number>
__device__ void multiply(const Number*, std::int64_t, const Number*, std::int64_t, std::int64_t,
                         float*) {
  __trap();
}

#endif

__device__ float sigmoid(float x) {
  return 1.0F / (1.0F + __expf(-x));
}

/// The same thread handles a (cell, stream) pair from the first step to the last.
constexpr unsigned kPairs = kTile * kTile;

struct Pair {
  unsigned in_tile = threadIdx.x;
  bool is_used = threadIdx.x < kPairs;
  std::int64_t cell = std::int64_t{blockIdx.x} * kTile + threadIdx.x % kTile;
  std::int64_t stream = std::int64_t{blockIdx.y} * kTile + threadIdx.x / kTile;
};

template <typename Number>
__global__ void __launch_bounds__(kThreads, 1) forward_kernel(LstmForward<Number> task) {
  extern __shared__ __align__(128) unsigned char memory[];
  const auto [length, streams, hidden] = task.shape;
  const auto width = static_cast<unsigned>(hidden);
  const unsigned stride = width + kPadding<Number>;
  auto* partial = reinterpret_cast<float*>(memory);
  auto* weights = reinterpret_cast<Number*>(partial + kPartialNumbers);  // [gate, cell][hidden]
  const unsigned first_cell = blockIdx.x * kTile;
  for (unsigned i = threadIdx.x; i < kGates * kTile * width; i += kThreads) {
    const unsigned row = i / width;
    const unsigned column = i - row * width;
    const unsigned from = (row / kTile) * width + first_cell + row % kTile;
    weights[row * stride + column] = task.recurrent[from * width + column];
  }
  __syncthreads();
  const auto grid = cooperative_groups::this_grid();
  // The warps are divided among the gates, and those of a gate along `hidden`.
  const unsigned warp = threadIdx.x / 32;
  const unsigned depth = width / (kWarps / kGates);
  const unsigned from = (warp / kGates) * depth;
  const Number* warp_weights = weights + (warp % kGates) * kTile * stride + from;
  const Pair pair;
  float cell = pair.is_used ? task.cells[pair.stream * hidden + pair.cell] : 0.0F;
  for (std::int64_t t = 0; t < length; ++t) {
    Number* gates = task.gates + (t * streams + pair.stream) * kGates * hidden + pair.cell;
    float sums[kGates] = {};
    if (pair.is_used) {
#pragma unroll
      for (int g = 0; g < kGates; ++g) sums[g] = static_cast<float>(gates[g * hidden]);
    }
    if (t > 0) {
      grid.sync();
      multiply(task.hiddens + ((t - 1) * streams + blockIdx.y * kTile) * hidden + from, hidden,
               warp_weights, stride, depth, partial + warp * kPairs);
      __syncthreads();
    }
    if (!pair.is_used) continue;
#pragma unroll
    for (int part = 0; part < kWarps; ++part) {
      if (t > 0) sums[part % kGates] += partial[part * kPairs + pair.in_tile];
    }
    const float in = sigmoid(sums[0]);
    const float keep = sigmoid(sums[1]);
    const float proposed = tanhf(sums[2]);
    const float out_gate = sigmoid(sums[3]);
    const std::int64_t at = (t * streams + pair.stream) * hidden + pair.cell;
    cell = keep * cell + in * proposed;
    task.hiddens[at] = static_cast<Number>(out_gate * tanhf(cell));
    task.cells[at + streams * hidden] = cell;
    gates[0] = static_cast<Number>(in);
    gates[hidden] = static_cast<Number>(keep);
    gates[2 * hidden] = static_cast<Number>(proposed);
    gates[3 * hidden] = static_cast<Number>(out_gate);
  }
}

template <typename Number>
__global__ void __launch_bounds__(kThreads, 1) backward_kernel(LstmBackward<Number> task) {
  extern __shared__ __align__(128) unsigned char memory[];
  const auto [length, streams, hidden] = task.shape;
  const auto width = static_cast<unsigned>(hidden);
  const unsigned rows = kGates * width;
  const unsigned stride = rows + kPadding<Number>;
  auto* partial = reinterpret_cast<float*>(memory);
  auto* weights = reinterpret_cast<Number*>(partial + kPartialNumbers);  // [cell][gates of all]
  for (unsigned i = threadIdx.x; i < rows * kTile; i += kThreads) {
    const unsigned row = i / kTile;
    weights[(i % kTile) * stride + row] =
        task.recurrent[row * width + blockIdx.x * kTile + i % kTile];
  }
  __syncthreads();
  const auto grid = cooperative_groups::this_grid();
  const unsigned warp = threadIdx.x / 32;
  const unsigned depth = rows / kWarps;
  const unsigned from = warp * depth;
  const Pair pair;
  float carried = 0.0F;
  for (std::int64_t t = length - 1; t >= 0; --t) {
    const bool is_last = t + 1 == length;
    const std::int64_t at = (t * streams + pair.stream) * hidden + pair.cell;
    const std::int64_t gates_at = (t * streams + pair.stream) * rows + pair.cell;
    float grad_hidden = 0.0F;
    float before = 0.0F;
    float tanh_cell = 0.0F;
    float gates[kGates] = {};
    if (pair.is_used) {
      grad_hidden = static_cast<float>(task.grad_hiddens[at]);
      before = task.cells[at];
      tanh_cell = tanhf(task.cells[at + streams * hidden]);
#pragma unroll
      for (int g = 0; g < kGates; ++g) {
        gates[g] = static_cast<float>(task.gates[gates_at + g * hidden]);
      }
    }
    if (!is_last) {
      grid.sync();
      multiply(task.grad_gates + ((t + 1) * streams + blockIdx.y * kTile) * rows + from, rows,
               weights + from, stride, depth, partial + warp * kPairs);
      __syncthreads();
    }
    if (!pair.is_used) continue;
#pragma unroll
    for (int part = 0; part < kWarps; ++part) {
      if (!is_last) grad_hidden += partial[part * kPairs + pair.in_tile];
    }
    const auto [in, keep, proposed, out_gate] = gates;
    const float cell = carried + grad_hidden * out_gate * (1.0F - tanh_cell * tanh_cell);
    carried = cell * keep;
    Number* out = task.grad_gates + gates_at;
    out[0] = static_cast<Number>(cell * proposed * in * (1.0F - in));
    out[hidden] = static_cast<Number>(cell * before * keep * (1.0F - keep));
    out[2 * hidden] = static_cast<Number>(cell * in * (1.0F - proposed * proposed));
    out[3 * hidden] = static_cast<Number>(grad_hidden * tanh_cell * out_gate * (1.0F - out_gate));
  }
}

/// Both kernels keep the same number of weights.
std::size_t shared_bytes(std::int64_t hidden, std::size_t number_bytes) {
  constexpr std::size_t kMaxPadding = 4 * kTile * 16;
  return kPartialNumbers * sizeof(float) + kMaxPadding +
         static_cast<std::size_t>(kGates * kTile * hidden) * number_bytes;
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  return cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess ? value : 0;
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Blocks that wait for each other must all be resident at once; folded_lstm_fits guarantees it.
template <typename Kernel, typename Task>
void launch(Kernel kernel, const Task& task, std::size_t number_bytes, const char* name,
            cudaStream_t stream) {
  const std::size_t bytes = shared_bytes(task.shape.hidden, number_bytes);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        name);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(task.shape.hidden / kTile),
                        static_cast<unsigned>(task.shape.streams / kTile));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, task), name);
}

}  // namespace

bool folded_lstm_fits(const LstmShape& shape, std::size_t number_bytes) {
  constexpr int kOldestArchitecture = 8;  // the first one that multiply() compiles for
  return shape.hidden > 0 && shape.hidden % kHiddenUnit == 0 && shape.streams > 0 &&
         shape.streams % kTile == 0 &&
         device_attribute(cudaDevAttrComputeCapabilityMajor) >= kOldestArchitecture &&
         device_attribute(cudaDevAttrCooperativeLaunch) != 0 &&
         shape.hidden / kTile * (shape.streams / kTile) <=
             device_attribute(cudaDevAttrMultiProcessorCount) &&
         shared_bytes(shape.hidden, number_bytes) <=
             static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

template <typename Number>
void lstm_forward(const LstmForward<Number>& task, cudaStream_t stream) {
  launch(&forward_kernel<Number>, task, sizeof(Number), "lstm_forward", stream);
}

template <typename Number>
void lstm_backward(const LstmBackward<Number>& task, cudaStream_t stream) {
  launch(&backward_kernel<Number>, task, sizeof(Number), "lstm_backward", stream);
}

template void lstm_forward(const LstmForward<float>&, cudaStream_t);
template void lstm_forward(const LstmForward<__nv_bfloat16>&, cudaStream_t);
template void lstm_backward(const LstmBackward<float>&, cudaStream_t);
template void lstm_backward(const LstmBackward<__nv_bfloat16>&, cudaStream_t);

}  // namespace cane::lm::cuda

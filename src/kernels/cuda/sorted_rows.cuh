// Sorts entries by row and sums the entries of each row. Sizes are fixed, and nothing waits for the
// device.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "kernels/cuda/launch.cuh"

namespace cane::kernels::cuda {

/// Scratch memory for `entries` entries. Keys are rows; a key of `rows` or more marks an unused
/// entry.
struct SortedRows {
  std::int64_t entries = 0;
  std::uint32_t* keys_in = nullptr;
  std::uint32_t* keys = nullptr;
  std::uint32_t* order_in = nullptr;
  std::uint32_t* order = nullptr;
  std::int32_t* places =
      nullptr;  // index of each sorted entry's row among the distinct rows, from 1
  void* library = nullptr;
  std::size_t library_bytes = 0;
};

inline constexpr std::size_t kScratchAlignment = 256;

inline std::size_t aligned(std::size_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

inline std::size_t library_scratch_bytes(std::int64_t entries) {
  const std::uint32_t* keys = nullptr;
  std::uint32_t* keys_out = nullptr;
  std::size_t sort = 0;
  cub::DeviceRadixSort::SortPairs(nullptr, sort, keys, keys_out, keys, keys_out,
                                  static_cast<int>(entries));
  std::size_t scan = 0;
  std::int32_t* places = nullptr;
  cub::DeviceScan::InclusiveSum(nullptr, scan, places, places, static_cast<int>(entries));
  return sort > scan ? sort : scan;
}

inline std::size_t sorted_row_bytes(std::int64_t entries) {
  const std::size_t part = aligned(static_cast<std::size_t>(entries) * sizeof(std::uint32_t));
  return kScratchAlignment + 5 * part + aligned(library_scratch_bytes(entries));
}

inline SortedRows sorted_rows_in(void* scratch, std::size_t bytes, std::int64_t entries) {
  if (entries >= (std::int64_t{1} << 31)) throw std::runtime_error("sum_rows: too many entries");
  const std::size_t part = aligned(static_cast<std::size_t>(entries) * sizeof(std::uint32_t));
  const std::size_t begin =
      aligned(reinterpret_cast<std::size_t>(scratch)) - reinterpret_cast<std::size_t>(scratch);
  if (bytes < begin + 5 * part) throw std::runtime_error("sum_rows: too little scratch memory");
  auto* at = static_cast<std::byte*>(scratch) + begin;
  const auto next = [&] {
    auto* here = reinterpret_cast<std::uint32_t*>(at);
    at += part;
    return here;
  };
  SortedRows sorted;
  sorted.entries = entries;
  sorted.keys_in = next();
  sorted.keys = next();
  sorted.order_in = next();
  sorted.order = next();
  sorted.places = reinterpret_cast<std::int32_t*>(next());
  sorted.library = at;
  sorted.library_bytes = bytes - begin - 5 * part;
  return sorted;
}

__global__ static void row_begin_kernel(SortedRows sorted, std::int64_t rows) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= sorted.entries) return;
  const std::uint32_t key = sorted.keys[i];
  sorted.places[i] = key < rows && (i == 0 || sorted.keys[i - 1] != key) ? 1 : 0;
}

template <typename Source>
__global__ void row_key_kernel(SortedRows sorted, Source source, std::int64_t rows) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= sorted.entries) return;
  const std::int64_t row = source.key(i);
  // Unused places come last.
  sorted.keys_in[i] = static_cast<std::uint32_t>(row < 0 ? rows : row);
  sorted.order_in[i] = static_cast<std::uint32_t>(i);
}

/// Sorts the entries by source.key, and numbers the distinct rows.
template <typename Source>
void sort_rows(SortedRows sorted, const Source& source, std::int64_t rows, cudaStream_t stream) {
  int bits = 1;
  while (bits < 32 && (std::int64_t{1} << bits) <= rows) ++bits;
  const auto count = static_cast<int>(sorted.entries);
  const unsigned blocks = blocks_for(sorted.entries, kMaxThreads);
  row_key_kernel<<<blocks, kMaxThreads, 0, stream>>>(sorted, source, rows);
  cub::DeviceRadixSort::SortPairs(sorted.library, sorted.library_bytes, sorted.keys_in, sorted.keys,
                                  sorted.order_in, sorted.order, count, 0, bits, stream);
  row_begin_kernel<<<blocks, kMaxThreads, 0, stream>>>(sorted, rows);
  cub::DeviceScan::InclusiveSum(sorted.library, sorted.library_bytes, sorted.places, sorted.places,
                                count, stream);
}

struct RowSumOutput {
  std::int64_t places;
  std::int64_t* rows;  // -1 before
  float* values;       // [places, width], zero before
  std::int64_t width;
  std::int64_t table_rows;
};

// Small, so that the chains of loads are short: there are more warps than entries can fill.
inline constexpr int kEntriesPerWarp = 4;
inline constexpr int kColumnsPerLane = 4;

// A warp takes kEntriesPerWarp sorted entries and kWarp * kColumnsPerLane columns (blockIdx.y).
template <typename Source>
__global__ void add_sorted_rows_kernel(SortedRows sorted, Source source, RowSumOutput output) {
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  const std::int64_t lane = threadIdx.x % kWarp;
  const std::int64_t begin = warp * kEntriesPerWarp;
  if (begin >= sorted.entries) return;
  const std::int64_t end =
      begin + kEntriesPerWarp < sorted.entries ? begin + kEntriesPerWarp : sorted.entries;
  const std::int64_t first_column = std::int64_t{blockIdx.y} * kWarp * kColumnsPerLane + lane;
  const bool is_first_part = blockIdx.y == 0;
  float sums[kColumnsPerLane] = {};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t key = sorted.keys[i];
    if (key >= output.table_rows) return;
    const std::uint32_t entry = sorted.order[i];
    const float scale = source.scale(entry);
    const float* values = source.row(entry);
    for (int c = 0; c < kColumnsPerLane; ++c) {
      const std::int64_t column = first_column + c * kWarp;
      if (column < output.width) sums[c] += scale * values[column];
    }
    const bool is_last = i + 1 == end || sorted.keys[i + 1] != key;
    if (!is_last) continue;
    const std::int64_t row = sorted.places[i] - 1;
    for (int c = 0; c < kColumnsPerLane; ++c) {
      const std::int64_t column = first_column + c * kWarp;
      if (column < output.width) atomicAdd(output.values + row * output.width + column, sums[c]);
      sums[c] = 0.0F;
    }
    if (is_first_part && lane == 0) output.rows[row] = key;
  }
}

/// Adds scale * values of each entry to the row of its key. Unused rows stay -1.
template <typename Source>
void add_sorted_rows(const SortedRows& sorted, const Source& source, const RowSumOutput& output,
                     cudaStream_t stream) {
  const std::int64_t warps = (sorted.entries + kEntriesPerWarp - 1) / kEntriesPerWarp;
  const dim3 grid(blocks_for(warps, kMaxThreads / kWarp),
                  blocks_for(output.width, kWarp * kColumnsPerLane));
  add_sorted_rows_kernel<<<grid, kMaxThreads, 0, stream>>>(sorted, source, output);
}

}  // namespace cane::kernels::cuda

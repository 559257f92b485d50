// Each operation of the backend of the GPU against that of the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "device/cuda/cuda_backend.cuh"
#include "device/host/host_backend.h"
#include "device/plain/candidates.h"

namespace cane::device {
namespace {

std::vector<float> random_floats(std::uint64_t count, std::uint32_t draw) {
  const CounterRandom random(9, RandomPurpose::kSynthetic);
  std::vector<float> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random.normal(i, draw)));
  }
  return values;
}

class GpuBackend : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) GTEST_SKIP() << cudaGetErrorString(error);
    if (count == 0) GTEST_SKIP() << "no GPU was found";
  }

  template <typename T>
  static std::vector<T> out(CudaBackend& backend, const Array<T>& array) {
    std::vector<T> values(array.size());
    backend.copy_out(values.data(), array.size(), array.data(), array.size(), array.size(), 1);
    return values;
  }
};

TEST_F(GpuBackend, MultipliesAsTheHostDoes) {
  CudaBackend gpu(0);
  HostBackend host;
  const std::uint64_t m = 37;
  const std::uint64_t n = 53;
  const std::uint64_t k = 29;
  const std::uint64_t pitch = 60;
  const auto a = random_floats(pitch * pitch, 1);
  const auto b = random_floats(pitch * pitch, 2);
  const auto c = random_floats(pitch * pitch, 3);
  for (int kind = 0; kind < 4; ++kind) {
    const float factors[] = {0.7F, 1.3F};
    const auto product_of = [&](const float* alpha, const float* x, const float* y, float* z) {
      Product product;
      product.m = m;
      product.n = n;
      product.k = k;
      product.alpha = alpha;
      product.beta = alpha + 1;
      product.a = x;
      product.b = y;
      product.c = z;
      product.a_pitch = product.b_pitch = product.c_pitch = pitch;
      product.transposes_a = kind % 2 == 1;
      product.transposes_b = kind / 2 == 1;
      return product;
    };
    auto expected = c;
    host.multiply(product_of(factors, a.data(), b.data(), expected.data()));
    const auto gpu_factors = copied(gpu, factors, 2);
    const auto gpu_a = copied(gpu, a.data(), a.size());
    const auto gpu_b = copied(gpu, b.data(), b.size());
    const auto gpu_c = copied(gpu, c.data(), c.size());
    gpu.multiply(product_of(gpu_factors.data(), gpu_a.data(), gpu_b.data(), gpu_c.data()));
    const auto found = out(gpu, gpu_c);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 0.05) << i;
  }
}

TEST_F(GpuBackend, SortsStablyWithUnusedKeysLast) {
  CudaBackend gpu(0);
  HostBackend host;
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{5000}}) {
    const CounterRandom random(4, RandomPurpose::kSynthetic);
    std::vector<std::uint32_t> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto key = static_cast<std::uint32_t>(random.below(130, i, 0));
      keys.push_back(key < 128 ? key : kNoRow);
    }
    host.reserve_sort(count);
    gpu.reserve_sort(count);
    const SortedEntries expected = host.sort(keys.data(), count, 128);
    const auto gpu_keys = copied(gpu, keys.data(), count);
    const SortedEntries found = gpu.sort(gpu_keys.data(), count, 128);
    std::vector<std::uint32_t> rows(count);
    std::vector<std::uint32_t> order(count);
    gpu.copy_out(rows.data(), count, found.rows, count, count, 1);
    gpu.copy_out(order.data(), count, found.order, count, count, 1);
    EXPECT_EQ(rows, std::vector<std::uint32_t>(expected.rows, expected.rows + count));
    EXPECT_EQ(order, std::vector<std::uint32_t>(expected.order, expected.order + count));
  }
}

/// What lanes give each other: [sum, max, before, through] of each place, and the best places.
struct TryLanes {
  const float* values;
  std::uint32_t count;
  std::uint32_t keep;
  std::uint32_t* best;
  float* results;  // [items, 3]

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const Chunk own = chunk_of(count, lanes);
    float ones = 0.0F;
    float high = -1e30F;
    for (std::uint32_t i = own.begin; i < own.end; ++i) {
      ones += 1.0F;
      high = values[i] > high ? values[i] : high;
    }
    const RunningSum running = lanes.running_sum(ones);
    const float begins = running.before == static_cast<float>(own.begin) &&
                                 running.through == static_cast<float>(own.end)
                             ? 1.0F
                             : 0.0F;
    const float sum = lanes.sum(ones);
    const float all_begin = lanes.sum(begins);
    high = lanes.max(high);
    select_best(values, count, keep, best + item * keep, lanes);
    if (!lanes.owns(0)) return;
    results[item * 3] = sum;
    results[item * 3 + 1] = high;
    results[item * 3 + 2] = all_begin == static_cast<float>(lanes.stride()) ? 1.0F : 0.0F;
  }
};

template <Spread kSpread>
void check_lanes() {
  CudaBackend gpu(0);
  HostBackend host;
  constexpr std::uint32_t kItems = 11;
  for (const std::uint32_t count : {5U, 32U, 100U, 777U}) {
    const std::uint32_t keep = count / 3 + 1;
    const auto values = random_floats(count, count);
    std::vector<std::uint32_t> best(kItems * keep);
    std::vector<float> results(kItems * 3);
    host.launch<kSpread>(kItems, TryLanes{values.data(), count, keep, best.data(), results.data()});
    const auto gpu_values = copied(gpu, values.data(), count);
    const Array<std::uint32_t> gpu_best(gpu, best.size());
    const Array<float> gpu_results(gpu, results.size());
    gpu.launch<kSpread>(
        kItems, TryLanes{gpu_values.data(), count, keep, gpu_best.data(), gpu_results.data()});
    std::vector<std::uint32_t> found(best.size());
    std::vector<float> found_results(results.size());
    gpu.copy_out(found.data(), found.size(), gpu_best.data(), found.size(), found.size(), 1);
    gpu.copy_out(found_results.data(), results.size(), gpu_results.data(), results.size(),
                 results.size(), 1);
    EXPECT_EQ(found, best);
    EXPECT_EQ(found_results, results);
  }
}

TEST_F(GpuBackend, LanesOfAWarpWorkTogether) {
  check_lanes<Spread::kWarp>();
}

TEST_F(GpuBackend, LanesOfABlockWorkTogether) {
  check_lanes<Spread::kBlock>();
}

struct AddOne {
  float* values;
  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    if (lanes.owns(0)) values[item] += 1.0F;
  }
};

TEST_F(GpuBackend, RepeatsWhatItHasRecorded) {
  CudaBackend gpu(0);
  const Array<float> values(gpu, 9);
  for (int i = 0; i < 5; ++i) {
    gpu.repeat(7, [&] { gpu.launch<Spread::kWarp>(9, AddOne{values.data()}); });
  }
  EXPECT_EQ(out(gpu, values), std::vector<float>(9, 5.0F));
}

TEST_F(GpuBackend, CopiesRowsBetweenPitches) {
  CudaBackend gpu(0);
  const auto values = random_floats(5 * 7, 1);
  const Array<float> there(gpu, 5 * 12);
  gpu.copy_in(there.data(), 12, values.data(), 7, 7, 5);
  std::vector<float> back(5 * 7);
  gpu.copy_out(back.data(), 7, there.data(), 12, 7, 5);
  EXPECT_EQ(back, values);
  for (int row = 0; row < 5; ++row) {
    for (int column = 7; column < 12; ++column) {
      EXPECT_EQ(out(gpu, there)[static_cast<std::size_t>(row * 12 + column)], 0.0F);
    }
  }
}

}  // namespace
}  // namespace cane::device

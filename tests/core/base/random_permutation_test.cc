#include "core/base/random_permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

std::vector<std::uint64_t> permuted(std::uint64_t size, std::uint64_t seed) {
  const RandomPermutation permutation(size, CounterRandom(seed, RandomPurpose::kSynthetic));
  std::vector<std::uint64_t> values(size);
  std::iota(values.begin(), values.end(), std::uint64_t{0});
  std::ranges::transform(values, values.begin(), permutation);
  return values;
}

TEST(RandomPermutation, MeetsEveryNumberOnce) {
  for (const std::uint64_t size : {1U, 2U, 3U, 4U, 5U, 15U, 16U, 17U, 1000U, 4097U}) {
    auto values = permuted(size, 1);
    std::ranges::sort(values);
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(values[i], i) << "of " << size;
  }
}

TEST(RandomPermutation, ChangesWithTheSeed) {
  EXPECT_NE(permuted(100, 1), permuted(100, 2));
}

TEST(RandomPermutation, StaysBelowAHugeSize) {
  const std::uint64_t size = (std::uint64_t{1} << 63) + 12345;
  const RandomPermutation permutation(size, CounterRandom(1, RandomPurpose::kSynthetic));
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_LT(permutation(size - 1 - i), size);
}

TEST(RandomPermutation, PutsEveryNumberEverywhereEquallyOften) {
  constexpr std::uint64_t kSize = 7;
  const int trials = 7000;
  std::vector<int> counts(kSize * kSize, 0);
  for (int trial = 0; trial < trials; ++trial) {
    const auto values = permuted(kSize, static_cast<std::uint64_t>(trial));
    for (std::uint64_t i = 0; i < kSize; ++i) ++counts[i * kSize + values[i]];
  }
  double chi_square = 0.0;
  const double expected = trials / static_cast<double>(kSize);
  for (const int count : counts) {
    chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 68.0);  // 36 degrees of freedom, p = 0.001
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

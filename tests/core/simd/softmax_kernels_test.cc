#include "core/simd/softmax_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kCounts[] = {0, 1, 3, 7, 8, 9, 16, 31, 33, 64, 129, 1023, 1024, 1025, 2100};

std::vector<float> random_scores(std::size_t count, double spread) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  std::vector<float> scores(count);
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = static_cast<float>(spread * random.normal(i, 0));
  }
  return scores;
}

double plain_sum(const std::vector<float>& scores, float shift) {
  double sum = 0.0;
  for (const float score : scores) sum += std::exp(static_cast<double>(score - shift));
  return sum;
}

TEST(SoftmaxKernels, FindTheLargest) {
  on_every_target([] {
    EXPECT_EQ(max_of(nullptr, 0), -kInfinity);
    for (const std::size_t count : kCounts) {
      std::vector<float> scores = random_scores(count, 3.0);
      for (std::size_t place = 0; place < std::min<std::size_t>(count, 130); ++place) {
        const float before = scores[place];
        scores[place] = 50.0F;
        ASSERT_EQ(max_of(scores.data(), count), 50.0F);
        scores[place] = before;
      }
      if (count > 0) {
        ASSERT_EQ(max_of(scores.data(), count), *std::max_element(scores.begin(), scores.end()));
      }
    }
  });
}

TEST(SoftmaxKernels, ExponentialsAreAccurateOverTheNormalRange) {
  std::vector<float> scores;
  for (double x = -87.33; x < 88.72; x += 0.00371) scores.push_back(static_cast<float>(x));
  on_every_target([&] {
    std::vector<float> out(scores.size());
    exp_and_sum(scores.data(), scores.size(), 0.0F, out.data());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double expected = std::exp(static_cast<double>(scores[i]));
      ASSERT_NEAR(out[i] / expected, 1.0, 2e-7) << scores[i];
    }
  });
}

TEST(SoftmaxKernels, SumAndStoreTheExponentialsInPlaceToo) {
  on_every_target([] {
    for (const std::size_t count : kCounts) {
      const std::vector<float> scores = random_scores(count, 4.0);
      std::vector<float> out(count + 1, -1.0F);
      const float sum = exp_and_sum(scores.data(), count, 2.5F, out.data());
      ASSERT_NEAR(sum, plain_sum(scores, 2.5F), 1e-6 * plain_sum(scores, 2.5F));
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(out[i], std::exp(scores[i] - 2.5F), 1e-6F * out[i]);
      }
      ASSERT_EQ(out[count], -1.0F);
      std::vector<float> in_place = scores;
      ASSERT_EQ(exp_and_sum(in_place.data(), count, 2.5F, in_place.data()), sum);
      out.pop_back();
      ASSERT_EQ(in_place, out);
    }
  });
}

TEST(SoftmaxKernels, ExponentialsKnowTheEdges) {
  on_every_target([] {
    // Once in full vectors, once in what is left over.
    for (const std::size_t count : {5U, 64U}) {
      const float edges[] = {-kInfinity, -1e30F, -100.0F, 0.0F, 89.0F, 1e30F, kInfinity, NAN};
      const float expected[] = {0.0F, 0.0F, 0.0F, 1.0F, kInfinity, kInfinity, kInfinity, NAN};
      for (std::size_t e = 0; e < std::size(edges); ++e) {
        std::vector<float> scores(count, 0.0F);
        scores[count - 3] = edges[e];
        std::vector<float> out(count);
        const float sum = exp_and_sum(scores.data(), count, 0.0F, out.data());
        const float others = static_cast<float>(count - 1);
        if (std::isnan(expected[e])) {
          EXPECT_TRUE(std::isnan(out[count - 3]));
          EXPECT_TRUE(std::isnan(sum));
          EXPECT_TRUE(std::isnan(log_sum_exp(scores.data(), count)));
        } else {
          EXPECT_EQ(out[count - 3], expected[e]) << edges[e];
          EXPECT_EQ(sum, others + expected[e]) << edges[e];
        }
      }
    }
  });
}

TEST(SoftmaxKernels, SumsOfAMillionAreAccurate) {
  const std::vector<float> scores = random_scores(1'000'003, 1.0);
  const double expected = plain_sum(scores, 1.0F);
  on_every_target([&] {
    std::vector<float> out(scores.size());
    const float sum = exp_and_sum(scores.data(), scores.size(), 1.0F, out.data());
    EXPECT_NEAR(sum / expected, 1.0, 3e-7);
  });
}

TEST(SoftmaxKernels, LogOfTheSumDoesNotOverflow) {
  on_every_target([] {
    EXPECT_EQ(log_sum_exp(nullptr, 0), -kInfinity);
    for (const std::size_t count : kCounts) {
      if (count == 0) continue;
      std::vector<float> scores = random_scores(count, 4.0);
      const double expected = std::log(plain_sum(scores, 0.0F));
      ASSERT_NEAR(log_sum_exp(scores.data(), count), expected, 2e-6 * (1.0 + std::abs(expected)));
      for (float& score : scores) score += 1024.0F;
      ASSERT_NEAR(log_sum_exp(scores.data(), count), expected + 1024.0, 2e-4);
      std::fill(scores.begin(), scores.end(), -kInfinity);
      ASSERT_EQ(log_sum_exp(scores.data(), count), -kInfinity);
      scores.back() = kInfinity;
      ASSERT_EQ(log_sum_exp(scores.data(), count), kInfinity);
    }
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

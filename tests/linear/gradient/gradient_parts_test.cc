#include "linear/gradient/gradient_parts.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(GradientParts, ThinningKeepsLargeStepsAndTheExpectationOfSmallOnes) {
  constexpr std::uint32_t kWidth = 8;
  constexpr int kTimes = 20'000;
  const BlockLayout layout = BlockLayout::flat(3 * kWidth, kWidth, 2);
  const std::vector<std::vector<float>> steps = {{0.02F, -0.05F}, {0.5F, 0.01F}, {0.0F, 0.0F}};
  const CounterRandom random(1, RandomPurpose::kSynthetic);
  std::uint64_t draw = 0;
  std::vector<std::vector<double>> sums(3, std::vector<double>(2, 0.0));
  std::size_t kept = 0;
  for (int i = 0; i < kTimes; ++i) {
    GradientParts parts(layout);
    for (NodeId node = 0; node < 3; ++node) {
      std::copy(steps[node].begin(), steps[node].end(), parts.add_part(7, node));
    }
    parts.thin(0.1F, [&] { return static_cast<float>(random.uniform(draw++, 0)); });
    kept += parts.parts().size();
    for (std::size_t part = 0; part < parts.parts().size(); ++part) {
      const auto& [example, node] = parts.parts()[part];
      ASSERT_EQ(example, 7U);
      ASSERT_NE(node, 2U);  // zero is left out
      if (node == 0) {
        ASSERT_FLOAT_EQ(parts.steps(part)[1], -0.1F);
      }
      for (std::size_t c = 0; c < 2; ++c) {
        sums[node][c] += static_cast<double>(parts.steps(part)[c]);
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(kept) / kTimes, 1.5, 0.02);
  for (std::size_t node = 0; node < 3; ++node) {
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(sums[node][c] / kTimes, static_cast<double>(steps[node][c]), 0.002);
    }
  }
}

TEST(GradientParts, ThinningLeavesOutStepsThatNoDrawCanResolve) {
  for (const float tiny : {1e-42F, 1e-30F, 1e-9F}) {
    GradientParts parts(BlockLayout::flat(16, 8, 2));
    parts.add_part(0, 0)[1] = tiny;
    parts.add_part(0, 1)[1] = 0.05F;
    parts.thin(0.1F, [] { return 0.0F; });  // the draw that keeps the most
    ASSERT_EQ(parts.parts().size(), 1U) << tiny;
    EXPECT_FLOAT_EQ(parts.steps(0)[1], 0.1F);
    EXPECT_EQ(parts.steps(0)[0], 0.0F);
  }
}

TEST(GradientParts, ScalesExamplesAndLeavesThemOut) {
  GradientParts parts(BlockLayout::flat(16, 8, 2));
  for (std::uint32_t example = 0; example < 3; ++example) {
    for (NodeId node = 0; node < 2; ++node) {
      parts.add_part(example, node)[1] = static_cast<float>(example + node) - 1.5F;
    }
  }
  std::vector<float> longest = {0.7F, 0.0F, 0.0F};
  parts.raise_to_longest(longest);
  EXPECT_EQ(longest, (std::vector<float>{1.5F, 0.5F, 1.5F}));
  parts.scale_examples(std::vector<float>{2.0F, 0.0F, 1.0F});
  ASSERT_EQ(parts.parts().size(), 4U);
  EXPECT_EQ(parts.parts()[2].example, 2U);
  EXPECT_FLOAT_EQ(parts.steps(0)[1], -3.0F);
  EXPECT_FLOAT_EQ(parts.steps(1)[1], -1.0F);
  EXPECT_FLOAT_EQ(parts.steps(3)[1], 1.5F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

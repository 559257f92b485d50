#include "core/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cane {
namespace CANE_THIS_FILE {

TEST(Half, EveryOneComesBackFromItsFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const Half half = {static_cast<std::uint16_t>(bits)};
    const float value = to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(to_half(value))));
    } else {
      ASSERT_EQ(to_half(value).bits, bits) << value;
    }
  }
}

TEST(Half, AFloatGoesToTheNearestAndToTheEvenOneOfTwo) {
  for (std::uint32_t bits = 0; bits < 0x7BFFU; ++bits) {
    const float below = to_float({static_cast<std::uint16_t>(bits)});
    const float above = to_float({static_cast<std::uint16_t>(bits + 1)});
    const float middle = (below + above) / 2.0F;
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(to_half(middle).bits, even) << middle;
    ASSERT_EQ(to_half(std::nextafter(middle, 0.0F)).bits, bits) << middle;
    ASSERT_EQ(to_half(std::nextafter(middle, 1e6F)).bits, bits + 1) << middle;
    ASSERT_EQ(to_half(-middle).bits, even | 0x8000U);
  }
}

TEST(Half, KnowsItsLimits) {
  EXPECT_EQ(to_float(to_half(kLargestHalf)), kLargestHalf);
  EXPECT_TRUE(std::isinf(to_float(to_half(65520.0F))));
  EXPECT_TRUE(std::isinf(to_float(to_half(std::numeric_limits<float>::infinity()))));
  EXPECT_EQ(to_half(1e-9F).bits, 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

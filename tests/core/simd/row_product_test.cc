#include "core/simd/row_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/base/random.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

std::vector<float> random_matrix(std::size_t size, std::uint32_t seed) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(random.normal(i, 0));
  return values;
}

TEST(RowProduct, EqualsThePlainLoopAndTouchesNothingElse) {
  constexpr std::size_t kPad = 3;
  on_every_target([] {
    for (const std::size_t rows : {1U, 6U, 12U, 29U}) {
      for (const std::size_t depth : {1U, 5U, 33U}) {
        for (const std::size_t columns : {8U, 16U, 40U, 72U}) {
          const std::vector<float> a = random_matrix(rows * (depth + kPad), 1);
          const std::vector<float> b = random_matrix(depth * (columns + kPad), 2);
          const std::vector<float> before = random_matrix(rows * (columns + kPad), 3);
          for (const bool add : {false, true}) {
            std::vector<float> c = before;
            (add ? multiply_and_add : multiply)({a.data(), depth + kPad},
                                                {b.data(), columns + kPad},
                                                {c.data(), columns + kPad}, rows, depth, columns);
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t i = 0; i < columns + kPad; ++i) {
                const std::size_t at = r * (columns + kPad) + i;
                double expected = i < columns && !add ? 0.0 : static_cast<double>(before[at]);
                for (std::size_t k = 0; i < columns && k < depth; ++k) {
                  expected += static_cast<double>(a[r * (depth + kPad) + k]) *
                              static_cast<double>(b[k * (columns + kPad) + i]);
                }
                ASSERT_NEAR(c[at], expected, 1e-4) << rows << ' ' << depth << ' ' << columns;
              }
            }
          }
        }
      }
    }
  });
}

TEST(RowProduct, GivesTheSameBitsHoweverItIsCut) {
  constexpr std::size_t kRows = 31;
  constexpr std::size_t kDepth = 17;
  constexpr std::size_t kColumns = 48;
  const std::vector<float> a = random_matrix(kRows * kDepth, 1);
  const std::vector<float> b = random_matrix(kDepth * kColumns, 2);
  on_every_target([&] {
    std::vector<float> whole(kRows * kColumns);
    multiply({a.data(), kDepth}, {b.data(), kColumns}, {whole.data(), kColumns}, kRows, kDepth,
             kColumns);
    std::vector<float> parts(kRows * kColumns);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; c += 8) {
        multiply({a.data() + r * kDepth, kDepth}, {b.data() + c, kColumns},
                 {parts.data() + r * kColumns + c, kColumns}, 1, kDepth, 8);
      }
    }
    EXPECT_EQ(parts, whole);
  });
}

// The first factor turned over, and cut along the depth, which keeps the order of every sum.
TEST(RowProduct, TakesATurnedFactorPieceByPiece) {
  constexpr std::size_t kRows = 29;
  constexpr std::size_t kDepth = 21;
  constexpr std::size_t kColumns = 40;
  const std::vector<float> turned = random_matrix(kDepth * kRows, 1);
  const std::vector<float> b = random_matrix(kDepth * kColumns, 2);
  std::vector<float> a(kRows * kDepth);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = 0; k < kDepth; ++k) a[r * kDepth + k] = turned[k * kRows + r];
  }
  on_every_target([&] {
    std::vector<float> expected(kRows * kColumns, 1.0F);
    multiply_and_add({a.data(), kDepth}, {b.data(), kColumns}, {expected.data(), kColumns}, kRows,
                     kDepth, kColumns);
    std::vector<float> pieces(kRows * kColumns, 1.0F);
    for (std::size_t k = 0; k < kDepth; k += 8) {
      multiply_turned_and_add({turned.data() + k * kRows, kRows},
                              {b.data() + k * kColumns, kColumns}, {pieces.data(), kColumns}, kRows,
                              std::min<std::size_t>(8, kDepth - k), kColumns);
    }
    EXPECT_EQ(pieces, expected);
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

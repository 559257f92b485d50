// Labels: threads
#include "core/simd/matrix_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/base/thread_pool.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::size_t kRows[] = {0, 1, 3, 17};
constexpr std::size_t kClasses[] = {0, 1, 5, 33};
constexpr std::size_t kWidths[] = {1, 7, 16, 130};

// A matrix with room behind every row that nobody may touch.
struct Padded {
  Padded(std::size_t rows, std::size_t width, std::uint32_t seed) : pitch(width + 3) {
    const CounterRandom random(seed, RandomPurpose::kSynthetic);
    values.assign(rows * pitch, kUntouched);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < width; ++c) {
        values[r * pitch + c] = static_cast<float>(random.normal(r, static_cast<std::uint32_t>(c)));
      }
    }
  }
  float at(std::size_t row, std::size_t column) const { return values[row * pitch + column]; }
  ConstMatrix view() const { return {values.data(), pitch}; }
  Matrix view() { return {values.data(), pitch}; }
  bool padding_untouched() const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % pitch + 3 >= pitch && values[i] != kUntouched) return false;
    }
    return true;
  }

  static constexpr float kUntouched = 77.0F;
  std::size_t pitch;
  std::vector<float> values;
};

template <typename Body>
void for_every_shape(const Body& body) {
  for (const std::size_t rows : kRows) {
    for (const std::size_t classes : kClasses) {
      for (const std::size_t width : kWidths) body(rows, classes, width);
    }
  }
}

TEST(MatrixProduct, ScoresAsThePlainLoop) {
  for_every_shape([](std::size_t rows, std::size_t classes, std::size_t width) {
    const Padded inputs(rows, width, 1);
    const Padded table(classes, width, 2);
    Padded scores(rows, classes, 3);
    for (std::size_t r = 0; r < rows; ++r) {
      // What was there before must not matter.
      for (std::size_t k = 0; k < classes; ++k) scores.values[r * scores.pitch + k] = NAN;
    }
    scores_of_rows(inputs.view(), rows, table.view(), classes, width, scores.view());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < classes; ++k) {
        double expected = 0.0;
        for (std::size_t i = 0; i < width; ++i) {
          expected += static_cast<double>(inputs.at(r, i)) * static_cast<double>(table.at(k, i));
        }
        ASSERT_NEAR(scores.at(r, k), expected, 1e-4);
      }
    }
    ASSERT_TRUE(scores.padding_untouched());
  });
}

TEST(MatrixProductThreads, GiveTheSameBitsOnAnyNumberOfThreads) {
  constexpr std::size_t kManyRows = 64;
  constexpr std::size_t kManyClasses = 500;
  constexpr std::size_t kWidth = 65;
  constexpr std::size_t kRange = 37;
  const Padded inputs(kManyRows, kWidth, 1);
  const Padded table(kManyClasses, kWidth, 2);
  const auto score = [&](int threads) {
    Padded scores(kManyRows, kManyClasses, 3);
    ThreadPool pool(threads);
    pool.run((kManyClasses + kRange - 1) / kRange, [&](std::size_t task, int) {
      const std::size_t first = task * kRange;
      scores_of_rows(inputs.view(), kManyRows,
                     {table.values.data() + first * table.pitch, table.pitch},
                     std::min(kRange, kManyClasses - first), kWidth,
                     {scores.values.data() + first, scores.pitch});
    });
    return scores.values;
  };
  const std::vector<float> alone = score(1);
  EXPECT_EQ(score(2), alone);
  EXPECT_EQ(score(4), alone);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

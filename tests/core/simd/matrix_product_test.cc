// Labels: threads
#include "core/simd/matrix_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/base/thread_pool.h"

namespace cane {
namespace {

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
  ConstMatrix from_column(std::size_t column) const { return {values.data() + column, pitch}; }
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

TEST(MatrixProduct, AddsOuterProductsAsThePlainLoop) {
  for_every_shape([](std::size_t rows, std::size_t classes, std::size_t width) {
    const Padded gradient(rows, classes, 1);
    const Padded inputs(rows, width, 2);
    Padded table(classes, width, 3);
    const Padded before = table;
    add_outer_products(table.view(), classes, width, gradient.view(), inputs.view(), rows, -0.3F);
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        double expected = static_cast<double>(before.at(k, i));
        for (std::size_t r = 0; r < rows; ++r) {
          expected -=
              0.3 * static_cast<double>(gradient.at(r, k)) * static_cast<double>(inputs.at(r, i));
        }
        ASSERT_NEAR(table.at(k, i), expected, 1e-4);
      }
    }
    ASSERT_TRUE(table.padding_untouched());
  });
}

TEST(MatrixProductThreads, GiveTheSameBitsOnAnyNumberOfThreads) {
  constexpr std::size_t kManyRows = 64;
  constexpr std::size_t kManyClasses = 500;
  constexpr std::size_t kWidth = 65;
  constexpr std::size_t kRange = 37;
  const Padded inputs(kManyRows, kWidth, 1);
  const auto learn = [&](int threads) {
    Padded table(kManyClasses, kWidth, 2);
    Padded scores(kManyRows, kManyClasses, 3);
    ThreadPool pool(threads);
    for (int step = 0; step < 3; ++step) {
      pool.run((kManyClasses + kRange - 1) / kRange, [&](std::size_t task, int) {
        const std::size_t first = task * kRange;
        const std::size_t classes = std::min(kRange, kManyClasses - first);
        const Matrix rows = {table.values.data() + first * table.pitch, table.pitch};
        scores_of_rows(inputs.view(), kManyRows, {rows.data, rows.pitch}, classes, kWidth,
                       {scores.values.data() + first, scores.pitch});
        add_outer_products(rows, classes, kWidth, scores.from_column(first), inputs.view(),
                           kManyRows, -0.001F);
      });
    }
    return table.values;
  };
  const std::vector<float> alone = learn(1);
  EXPECT_EQ(learn(2), alone);
  EXPECT_EQ(learn(4), alone);
}

}  // namespace
}  // namespace cane

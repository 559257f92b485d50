#include "predict/isotonic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

double squared_error(const std::vector<Observation>& sorted, const std::vector<double>& values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double gap = values[i] - (sorted[i].is_one ? 1.0 : 0.0);
    sum += gap * gap;
  }
  return sum;
}

// The least error over all ways to cut the observations into blocks, each with its mean, whose
// means do not fall.
double least_error(const std::vector<Observation>& sorted) {
  double best = std::numeric_limits<double>::infinity();
  const std::size_t count = sorted.size();
  for (std::uint32_t cuts = 0; cuts < (1U << (count - 1)); ++cuts) {
    std::vector<double> values(count);
    bool fits = true;
    double before = 0.0;
    for (std::size_t begin = 0; begin < count && fits;) {
      std::size_t end = begin + 1;
      while (end < count && (cuts >> (end - 1) & 1U) == 0) ++end;
      fits = end == count || sorted[end].x != sorted[end - 1].x;
      double mean = 0.0;
      for (std::size_t i = begin; i < end; ++i) mean += sorted[i].is_one ? 1.0 : 0.0;
      mean /= static_cast<double>(end - begin);
      fits = fits && mean >= before;
      before = mean;
      for (std::size_t i = begin; i < end; ++i) values[i] = mean;
      begin = end;
    }
    if (fits) best = std::min(best, squared_error(sorted, values));
  }
  return best;
}

TEST(Isotonic, HasTheLeastErrorOfAllThatDoNotFall) {
  const CounterRandom random(3, RandomPurpose::kExamples);
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    std::vector<Observation> observations;
    for (std::uint32_t i = 0; i < 9; ++i) {
      observations.push_back({static_cast<float>(random.below(6, trial, 2 * i)),
                              random.uniform(trial, 2 * i + 1) < 0.5});
    }
    const std::vector<IsotonicBlock> blocks = isotonic_regression(observations);
    std::vector<double> values;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i > 0) {
        EXPECT_GT(blocks[i].value(), blocks[i - 1].value());
        EXPECT_GT(blocks[i].x, blocks[i - 1].x);
      }
      values.insert(values.end(), blocks[i].observations, blocks[i].value());
    }
    ASSERT_EQ(values.size(), observations.size());
    EXPECT_NEAR(squared_error(observations, values), least_error(observations), 1e-12);
  }
}

TEST(Isotonic, LeavesOutWhatIsNoNumber) {
  std::vector<Observation> observations = {{0.5F, true}, {NAN, true}, {0.1F, false}, {-NAN, false}};
  const std::vector<IsotonicBlock> blocks = isotonic_regression(observations);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].ones, 0U);
  EXPECT_EQ(blocks[1].ones, 1U);
  std::vector<Observation> none = {{NAN, true}};
  EXPECT_TRUE(isotonic_regression(none).empty());
}

TEST(Isotonic, JoinsNeighboursUntilABlockHasEnough) {
  const std::vector<IsotonicBlock> blocks = {{0.1, 3, 0}, {0.3, 1, 1}, {0.5, 8, 8}, {0.9, 1, 1}};
  const std::vector<IsotonicBlock> wide = joined(blocks, 4);
  ASSERT_EQ(wide.size(), 2U);
  EXPECT_DOUBLE_EQ(wide[0].x, (3 * 0.1 + 0.3) / 4);
  EXPECT_DOUBLE_EQ(wide[0].value(), 0.25);
  EXPECT_EQ(wide[1].observations, 9U);
  EXPECT_EQ(joined(blocks, 1000).size(), 1U);
  EXPECT_TRUE(joined({}, 4).empty());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "theory/consistency.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cane::theory {
namespace CANE_THIS_FILE {

ConsistencyOptions small_consistency() {
  ConsistencyOptions options;
  options.classes = 8;
  options.candidates = {1, 3, 7};
  options.perturbations = 5;
  return options;
}

TEST(Consistency, TheExpectedGradientIsZeroAtTheOptimum) {
  const auto rows = check_consistency(small_consistency());
  EXPECT_EQ(rows.size(), 2U * 3U * 3U * 3U);
  for (const ConsistencyRow& row : rows) {
    EXPECT_LT(row.cane_gradient_norm, 1e-6)
        << row.candidates << ' ' << row.chosen << ' ' << row.law << ' ' << row.noises;
  }
}

TEST(Consistency, TheExpectedObjectiveIsLowerElsewhere) {
  for (const ConsistencyRow& row : check_consistency(small_consistency())) {
    EXPECT_GT(row.objective_margin, 1e-4)
        << row.candidates << ' ' << row.chosen << ' ' << row.law << ' ' << row.noises;
  }
}

// One noise cannot be pooled, nor can several that are the same class.
TEST(Consistency, PoolingNoisesMissesTheOptimumUnlessTheLabelStandsBesideThem) {
  const ConsistencyOptions options = small_consistency();
  for (const ConsistencyRow& row : check_consistency(options)) {
    const bool pools = row.noises > 1 && row.candidates + 1 < options.classes;
    if (pools) {
      EXPECT_GT(row.pooled_gradient_norm, 1e-3)
          << row.candidates << ' ' << row.chosen << ' ' << row.law << ' ' << row.noises;
    } else {
      EXPECT_LT(row.pooled_gradient_norm, 1e-6);
    }
    EXPECT_LT(row.pooled_beside_noises_gradient_norm, 1e-6);
  }
}

TEST(Consistency, AnotherSeedIsAnotherProblem) {
  ConsistencyOptions options = small_consistency();
  const double margin = check_consistency(options).front().objective_margin;
  EXPECT_EQ(check_consistency(options).front().objective_margin, margin);
  options.seed = 2;
  EXPECT_NE(check_consistency(options).front().objective_margin, margin);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::theory

#include <gtest/gtest.h>

#include "cane/dataset.h"
#include "data/subset.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

Dataset load(const char* text) {
  const testing::TemporaryFolder folder;
  DataOptions options;
  options.use_cache = false;
  return Dataset::load(folder.write("a.svm", text), options);
}

TEST(BalanceClasses, MakesAllClassesWeighTheSame) {
  const LoadedData balanced = balance_classes(load("1 1:1\n1 2:1\n1 3:1\n2 4:1\n").data());
  const DatasetView& view = balanced.view;
  for (const double total : class_counts(view, 2)) EXPECT_NEAR(total, 2.0, 1e-6);
  EXPECT_NEAR(view.weight(0), 2.0 / 3.0, 1e-6);
  EXPECT_NEAR(view.weight(3), 2.0, 1e-6);
}

TEST(BalanceClasses, KeepsTheRatiosOfGivenWeights) {
  const testing::TemporaryFolder folder;
  DataOptions options;
  options.use_cache = false;
  const Dataset data =
      Dataset::load(folder.write("a.vw", "1 3.0 | a\n1 1.0 | b\n2 4.0 | c\n3 8.0 | d\n"), options);
  const LoadedData balanced = balance_classes(data.data());
  const DatasetView& view = balanced.view;
  EXPECT_NEAR(view.weight(0) / view.weight(1), 3.0, 1e-5);
  const std::vector<double> totals = class_counts(view, 3);
  EXPECT_NEAR(totals[0], totals[1], 1e-5);
  EXPECT_NEAR(totals[1], totals[2], 1e-5);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

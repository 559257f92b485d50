#include "engine/hold_out.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/start_source.h"
#include "support/small_dataset.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(HoldOut, SplitsTheExamplesAndLeavesEveryClassOne) {
  const Dataset data = testing::small_dataset({.classes = 50, .examples = 120});
  const auto [rest, held_out] = hold_out(data, 1000, 1);
  EXPECT_EQ(rest.size() + held_out.size(), data.size());
  EXPECT_GT(held_out.size(), 0U);
  std::set<std::uint64_t> rows;
  for (const Dataset* part : {&rest, &held_out}) {
    for (std::size_t e = 0; e < part->size(); ++e) {
      EXPECT_TRUE(rows.insert(part->data().view.stored_row(e)).second);
    }
  }
  const std::vector<std::uint64_t> before = count_examples(data);
  const std::vector<std::uint64_t> after = count_examples(rest);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_EQ(after[k] > 0, before[k] > 0);
}

TEST(HoldOut, TakesAsManyAsAskedFor) {
  const Dataset data = testing::small_dataset({.classes = 5, .examples = 400});
  EXPECT_EQ(hold_out(data, 40, 1).second.size(), 40U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

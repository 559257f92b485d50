#include "core/noise/mass_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

// With whole masses, every class must be found at as many of the positions 0.5, 1.5, ... as its
// mass says.
TEST(MassTree, GivesEveryClassAsMuchRoomAsItsMassForAllSizesAndExclusions) {
  const CounterRandom random(3, RandomPurpose::kNoise);
  for (std::uint32_t size = 1; size <= 40; ++size) {
    for (std::uint32_t trial = 0; trial < 20; ++trial) {
      const std::uint64_t number = size * 100 + trial;
      std::vector<double> masses;
      std::vector<ClassId> excluded;
      std::vector<double> expected;
      const auto kept = static_cast<ClassId>(random.below(size, number, 0));
      for (ClassId k = 0; k < size; ++k) {
        masses.push_back(1.0 + static_cast<double>(random.below(9, number, 1 + k)));
        const bool out = k != kept && random.below(20, number, 1000 + k) < trial;
        if (out) excluded.push_back(k);
        expected.push_back(out ? 0.0 : masses.back());
      }
      const MassTree tree(masses);
      double total = 0.0;
      for (const double mass : expected) total += mass;
      ASSERT_EQ(tree.total_without(excluded), total);
      std::vector<double> room(size, 0.0);
      for (double position = 0.5; position < total; position += 1.0) {
        room[tree.find_without(excluded, position)] += 1.0;
      }
      ASSERT_EQ(room, expected) << size << " classes, trial " << trial;
    }
  }
}

TEST(MassTree, NeverLeavesTheRestWhenAPositionIsBeyondTheEnd) {
  const std::vector<double> masses = {1, 2, 3, 4, 5};
  const MassTree tree(masses);
  for (ClassId last = 0; last < 5; ++last) {
    std::vector<ClassId> excluded;
    for (ClassId k = 0; k < 5; ++k) {
      if (k != last) excluded.push_back(k);
    }
    EXPECT_EQ(tree.find_without(excluded, masses[last]), last);
    EXPECT_EQ(tree.find_without(excluded, std::numeric_limits<double>::infinity()), last);
  }
}

TEST(MassTree, KeepsThePrecisionOfSmallMassesBesideAGreatOne) {
  std::vector<double> masses(101, 0x1.0p-80);
  masses[50] = 1.0;
  const MassTree tree(masses);
  EXPECT_EQ(tree.total(), 1.0);
  EXPECT_EQ(tree.total_without(std::vector<ClassId>{50}), 100 * 0x1.0p-80);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

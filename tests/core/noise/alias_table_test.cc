#include "core/noise/alias_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace cane {
namespace CANE_THIS_FILE {

std::array<std::uint32_t, 4> words_of(double place, double level) {
  const auto split = [](double share) { return static_cast<std::uint64_t>(share * 0x1.0p64); };
  const std::uint64_t a = split(place);
  const std::uint64_t b = split(level);
  return {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32),
          static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32)};
}

// Adds up what every outcome gets over a grid of all that can be drawn.
TEST(AliasTable, SplitsTheSquareOfRandomNumbersByTheMasses) {
  constexpr int kLevels = 2000;
  const std::vector<std::vector<double>> laws = {
      {1},          {1, 1, 1},         {1, 2},
      {1, 1, 1e-9}, {1e-300, 1, 1e-3}, {5, 0.1, 3, 0.25, 8, 1, 1, 1e-12, 2, 13}};
  for (const auto& masses : laws) {
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    const AliasTable table(masses, total);
    const auto size = static_cast<double>(masses.size());
    std::vector<double> shares(masses.size(), 0.0);
    for (std::size_t cell = 0; cell < masses.size(); ++cell) {
      for (int level = 0; level < kLevels; ++level) {
        const auto words =
            words_of((static_cast<double>(cell) + 0.5) / size, (level + 0.5) / kLevels);
        const ClassId outcome = table.draw(words);
        ASSERT_LT(outcome, masses.size());
        shares[outcome] += 1.0 / (size * kLevels);
      }
    }
    for (std::size_t i = 0; i < masses.size(); ++i) {
      EXPECT_NEAR(shares[i], masses[i] / total, 1.0 / kLevels) << i << " of " << masses.size();
    }
  }
}

// Models of PyTorch store the cells as bytes, which padding would make different each time.
TEST(AliasTable, HasNoPadding) {
  EXPECT_EQ(sizeof(AliasCell),
            sizeof(AliasCell::own) + sizeof(AliasCell::lender) + sizeof(AliasCell::unused));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

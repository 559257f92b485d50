#include "core/base/string_table.h"

#include <gtest/gtest.h>

#include <string>

namespace cane {
namespace CANE_THIS_FILE {

TEST(StringTable, NumbersStringsInTheOrderTheyCome) {
  StringTable table;
  EXPECT_EQ(table.find("a"), StringTable::kNone);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(table.find_or_add("word" + std::to_string(i)), i);
  }
  EXPECT_EQ(table.find_or_add(""), 5000U);
  EXPECT_EQ(table.size(), 5001U);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(table.find("word" + std::to_string(i)), i);
    EXPECT_EQ(table[i], "word" + std::to_string(i));
  }
  EXPECT_EQ(table.find(""), 5000U);
  EXPECT_EQ(table.find("word5000"), StringTable::kNone);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "app/report/markup.h"

#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

TEST(CsvField, IsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_field("a b"), "a b");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
}

TEST(CsvField, IsNoFormula) {
  EXPECT_EQ(csv_field("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_field("@sum(1,2)"), "\"'@sum(1,2)\"");
  EXPECT_EQ(csv_field("-a"), "'-a");
  for (const char* number : {"-1", "+1", "-1.5e3", "1"}) EXPECT_EQ(csv_field(number), number);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

#include "app/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace cane::cli {
namespace CANE_THIS_FILE {

TEST(JsonObject, KeepsTheSignAndAllDigitsOfWholeNumbers) {
  JsonObject json;
  json.set("below", -3);
  json.set("least", std::numeric_limits<std::int64_t>::min());
  json.set("most", std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(json.text(),
            R"({"below":-3,"least":-9223372036854775808,"most":18446744073709551615})");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

#include "app/json_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cane::cli {
namespace CANE_THIS_FILE {

TEST(JsonText, KeepsTheOrderOfNamesAndReplacesBytesThatAreNoText) {
  Json json = Json::object();
  json["z"] = -3;
  json["a"] = "\xFF!";
  EXPECT_EQ(json_text(json), "{\"z\":-3,\"a\":\"\xEF\xBF\xBD!\"}");
  EXPECT_EQ(json_text(Json::object()), "{}");
}

TEST(JsonValueOf, IsWhatTheTextSpellsOrTheTextItself) {
  EXPECT_EQ(json_value_of("18446744073709551615"), Json(18446744073709551615U));
  EXPECT_EQ(json_value_of("0.5"), Json(0.5));
  EXPECT_EQ(json_value_of("true"), Json(true));
  EXPECT_EQ(json_value_of("auto"), Json("auto"));
  EXPECT_EQ(json_value_of(""), Json(""));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli

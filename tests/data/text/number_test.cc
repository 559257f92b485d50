#include "data/text/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <string>

namespace cane {
namespace CANE_THIS_FILE {

bool parses(const std::string& text, float& value) {
  const char* const end = text.data() + text.size();
  return parse_float(text.data(), end, value) == end;
}

TEST(ParseFloat, GivesTheCorrectlyRoundedValueOfShortDecimals) {
  for (int mantissa = 0; mantissa < 10'000'000; mantissa += 997) {
    for (std::size_t places = 0; places <= 7; ++places) {
      const std::string digits = fmt::format("{:07}", mantissa);
      const std::string text =
          fmt::format("{}.{}", digits.substr(0, 7 - places), digits.substr(7 - places));
      float expected = 0.0F;
      std::from_chars(text.data(), text.data() + text.size(), expected);
      float value = -1.0F;
      ASSERT_TRUE(parses(text, value)) << text;
      ASSERT_EQ(value, expected) << text;
    }
  }
}

TEST(ParseFloat, TakesAllSpellingsOfNumbers) {
  const std::pair<const char*, float> cases[] = {
      {"0", 0.0F},           {"-3", -3.0F},
      {"+2.5", 2.5F},        {".5", 0.5F},
      {"5.", 5.0F},          {"1e3", 1000.0F},
      {"-1.5E-2", -0.015F},  {"12345678", 12345678.0F},
      {"1e-60", 0.0F},       {"-1e-400", 0.0F},
      {"3.4e38", 3.4e38F},   {"0.1234567891", 0.1234567891F},
      {"000000000001", 1.0F}};
  for (const auto& [text, expected] : cases) {
    float value = -1.0F;
    EXPECT_TRUE(parses(text, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
}

TEST(ParseFloat, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"", "-", "+", ".", "nan", "inf", "-inf", "1e39", "1e400", "1x", "x1",
                           "0x10", "1,5", "--1", "+-1", "1e", "1..2"}) {
    float value = 0.0F;
    EXPECT_FALSE(parses(text, value)) << text;
  }
}

TEST(ParseFloat, StopsAtABlank) {
  const std::string text = "2.5 7";
  float value = 0.0F;
  EXPECT_EQ(parse_float(text.data(), text.data() + text.size(), value), text.data() + 3);
  EXPECT_EQ(value, 2.5F);
}

TEST(ParseDigits, StaysAtTheCeilingForLongNumbers) {
  const std::string text = "99999999999999999999999999999999:";
  std::uint64_t number = 0;
  EXPECT_EQ(*parse_digits(text.data(), text.data() + text.size(), number), ':');
  EXPECT_EQ(number, std::uint64_t{1} << 32);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

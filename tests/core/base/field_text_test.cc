#include "core/base/field_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cane/fields.h"
#include "support/error_text.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;

template <typename T>
class EveryField : public ::testing::Test {};

using Configurations = ::testing::Types<TrainConfig, DataOptions, TuneOptions, PredictOptions,
                                        EvaluateOptions, QuantizeOptions, SynthOptions>;
TYPED_TEST_SUITE(EveryField, Configurations);

TYPED_TEST(EveryField, HasANameOfItsOwnAndAHelp) {
  std::set<std::string> names;
  const TypeParam options;
  visit_fields(options, [&](const Field& field, const auto&) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_STRNE(field.help, "") << field.name;
    EXPECT_THAT(field.since, ::testing::MatchesRegex("[0-9]+\\.[0-9]+")) << field.name;
  });
}

TYPED_TEST(EveryField, TakesItsDefault) {
  EXPECT_NO_THROW(check_fields(TypeParam()));
}

TYPED_TEST(EveryField, ReadsWhatItWrites) {
  TypeParam options;
  visit_fields(options, [&](const Field& field, auto& value) {
    const auto before = value;
    const std::string text = value_text(field, value);
    value = parse_value<std::decay_t<decltype(value)>>(field, text);
    EXPECT_EQ(value, before) << field.name;
  });
}

TEST(FieldText, SaysWhatAFieldTakes) {
  const auto text = [](const Range& range) { return range_text(Field("x", "", "", range)); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text(at_least(1)), "1 or more");
  EXPECT_EQ(text(above(0)), "above 0");
  EXPECT_EQ(text(at_most(30)), "30 or less");
  EXPECT_EQ(text(from_to(1, 64)), "from 1 to 64");
  EXPECT_EQ(text(from_to_below(0, 0.5)), "0 or more, and below 0.5");
  EXPECT_EQ(text(between(0, 1)), "between 0 and 1");
  EXPECT_EQ(text(above_to(0, 1)), "above 0 and at most 1");
  EXPECT_EQ(range_text(Field("x", "", "", above(0)).or_auto(0)), "above 0, or auto");
}

TEST(FieldText, RefusesNumbersOutOfRange) {
  const auto refused = [](const Range& range, double number) {
    return error_text([&] { check_number(Field("some_field", "", "", range), number); });
  };
  EXPECT_NO_THROW(check_number(Field("some_field", "", "", at_least(2)), 2));
  EXPECT_EQ(refused(at_least(2), 1), "`some_field`: it must be 2 or more");
  EXPECT_NE(refused(above(0), 0), "");
  EXPECT_NO_THROW(check_number(Field("some_field", "", "", at_most(3)), 3));
  EXPECT_NE(refused(at_most(3), 4), "");
  EXPECT_NE(refused(from_to_below(0, 1), 1), "");
  EXPECT_NE(refused(between(0, 1), 0), "");
  EXPECT_NE(refused(at_least(0), std::nan("")), "");
  EXPECT_NE(refused(at_least(0), INFINITY), "");
}

TEST(FieldText, TakesAutoForTheNumberThatMeansIt) {
  const Field field = Field("batch", "", "", above(0)).or_auto(0);
  EXPECT_EQ(parse_value<std::uint32_t>(field, "auto"), 0U);
  EXPECT_EQ(value_text(field, 0U), "auto");
  EXPECT_EQ(values_text<std::uint32_t>(field), "N|auto");
  EXPECT_EQ(error_text([&] { parse_value<std::uint32_t>(field, "0"); }),
            "`batch`: it must be above 0, or auto");
}

TEST(FieldText, ReadsLengthsOfCharacters) {
  const Field field("char_ngrams", "", "");
  const auto parsed = [&](const char* text) { return parse_value<CharNgrams>(field, text); };
  EXPECT_EQ(parsed("3-5"), (CharNgrams{.min = 3, .max = 5}));
  EXPECT_EQ(parsed("4"), (CharNgrams{.min = 4, .max = 4}));
  EXPECT_EQ(parsed("none"), CharNgrams{});
  EXPECT_EQ(parsed("ends"), CharNgrams::ends());
  EXPECT_EQ(value_text(field, CharNgrams::ends()), "ends");
  EXPECT_THROW(parsed("0-3"), OptionError);
}

TEST(FieldText, SetsAFieldByItsNameWithDashes) {
  TrainConfig config;
  EXPECT_TRUE(set_field(config, "swap-resistance", "7"));
  EXPECT_EQ(config.swap_resistance, 7U);
  EXPECT_FALSE(set_field(config, "no-such-field", "7"));
}

TEST(FieldText, NamesStoredFieldsThatDiffer) {
  TrainConfig other;
  other.lr = 0.5F;
  other.swap_resistance = 3;
  other.threads = 7;
  EXPECT_EQ(differing_fields(TrainConfig(), other), "`lr`, `swap_resistance`");
  EXPECT_EQ(differing_fields(other, other), "");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

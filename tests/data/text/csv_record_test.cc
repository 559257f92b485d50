#include "data/text/csv_record.h"

#include <gtest/gtest.h>

#include "core/base/bad_line.h"

namespace cane {
namespace CANE_THIS_FILE {

using Fields = std::vector<std::string>;

Fields fields_of(std::string_view record, char separator = ',') {
  std::string storage;
  std::vector<std::string_view> fields;
  split_record(record, separator, storage, fields);
  return {fields.begin(), fields.end()};
}

std::string problem_of(std::string_view record) {
  try {
    fields_of(record);
  } catch (const BadLine& bad) {
    return bad.message;
  }
  return {};
}

TEST(CsvRecord, SplitsAtSeparatorsOutsideQuotes) {
  EXPECT_EQ(fields_of("a,b,,c"), (Fields{"a", "b", "", "c"}));
  EXPECT_EQ(fields_of("a,"), (Fields{"a", ""}));
  EXPECT_EQ(fields_of(""), (Fields{""}));
  EXPECT_EQ(fields_of("a,b\r"), (Fields{"a", "b"}));
  EXPECT_EQ(fields_of("\"a,b\",\"c\nd\",\"\""), (Fields{"a,b", "c\nd", ""}));
  EXPECT_EQ(fields_of("\"say \"\"hi\"\"\",\"\"\"\"\r"), (Fields{"say \"hi\"", "\""}));
  EXPECT_EQ(fields_of("5\" pipe,6' \"x\""), (Fields{"5\" pipe", "6' \"x\""}))
      << "a quote within a field is a character";
  EXPECT_EQ(fields_of("a,b\tc;d", '\t'), (Fields{"a,b", "c;d"}));
}

TEST(CsvRecord, RefusesQuotesThatAreLeftOpenOrFollowedByText) {
  EXPECT_EQ(problem_of("a,\"b"),
            "field 2 begins with a quote that is not closed; close it, or write the field in "
            "quotes and each quote within it twice");
  EXPECT_EQ(problem_of("\"a\"b,c"),
            "field 1 goes on behind its closing quote; write each quote within a quoted field "
            "twice");
}

TEST(CsvRecord, EndsRecordsAtLineEndsOutsideQuotes) {
  constexpr std::size_t kNone = std::string_view::npos;
  EXPECT_EQ(record_length("ab\ncd\n", ','), 2U);
  EXPECT_EQ(record_length("\"a\nb\",c\nd", ','), 7U);
  EXPECT_EQ(record_length("x,\"a\"\"\n\"\"b\"\nd", ','), 11U);
  EXPECT_EQ(record_length("5\" pipe,x\ny", ','), 9U);
  EXPECT_EQ(record_length("ab", ','), kNone);
  EXPECT_EQ(record_length("a,\"b\nc", ','), kNone);
  EXPECT_EQ(whole_records("a\nb\nc", ','), 4U);
  EXPECT_EQ(whole_records("a\n\"b\nc\"\n\"d\n", ','), 8U);
  EXPECT_EQ(whole_records("a", ','), 0U);
  EXPECT_EQ(whole_records("\"a\n", ','), 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

// What the cells of a table add to an example.
#include <fmt/format.h>

#include <cmath>

#include "core/base/bad_line.h"
#include "data/table/columns.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

bool is_gap(char character) {
  return is_blank(character) || character == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_gap(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_gap(text.back())) text.remove_suffix(1);
  return text;
}

void add_words(std::string_view text, Example& example) {
  const char* const end = text.data() + text.size();
  for (const char* cursor = text.data(); cursor != end;) {
    while (cursor != end && is_gap(*cursor)) ++cursor;
    const char* const begin = cursor;
    while (cursor != end && !is_gap(*cursor)) ++cursor;
    if (cursor != begin) {
      example.words.push_back({{}, {begin, static_cast<std::size_t>(cursor - begin)}, 1.0F});
    }
  }
}

void add_label(const ColumnUse& use, std::string_view text, Example& example) {
  if (text.empty()) return;
  if (!is_plain_label(text)) {
    throw BadLine{
        fmt::format("column {}: label {} holds a tab, a line break or the like; take it out",
                    in_quotes(use.name), in_quotes(text))};
  }
  example.labels.push_back(text);
}

float parsed_number(const ColumnUse& use, std::string_view text) {
  float value = 0.0F;
  const char* const end = text.data() + text.size();
  if (parse_float(text.data(), end, value) == end) return value;
  throw BadLine{
      fmt::format("column {}: {} is not a finite number; correct it, or leave the column out with "
                  "`features_columns`",
                  in_quotes(use.name), in_quotes(text))};
}

}  // namespace

void keep_cell(const ColumnUse& use, std::string_view text, Example& example) {
  if (example.kept.size() < use.kept) example.kept.resize(use.kept);
  example.kept[use.kept - 1] = text;
}

void add_number(const ColumnUse& use, float number, Example& example) {
  if (!std::isfinite(number)) {
    throw BadLine{
        fmt::format("column {}: the number is too large; scale it down", in_quotes(use.name))};
  }
  if (use.role == ColumnRole::kWeight) {
    if (number < 0.0F) {
      throw BadLine{fmt::format("column {}: weight {} is negative; weights are 0 or more",
                                in_quotes(use.name), number)};
    }
    example.weight = number;
    return;
  }
  example.has_columns = true;
  if (number != 0.0F) example.columns.push_back({&use, {}, number});
}

void add_cell(const ColumnUse& use, std::string_view text, Example& example) {
  switch (use.role) {
    case ColumnRole::kNone:
      break;
    case ColumnRole::kText:
      example.has_columns = true;
      add_words(text, example);
      break;
    case ColumnRole::kLabel:
      add_label(use, trimmed(text), example);
      break;
    case ColumnRole::kWeight:
      text = trimmed(text);
      if (is_missing_number(text)) {
        throw BadLine{fmt::format("column {}: there is no weight; write a number of 0 or more",
                                  in_quotes(use.name))};
      }
      add_number(use, parsed_number(use, text), example);
      break;
    case ColumnRole::kNumber:
      text = trimmed(text);
      if (!is_missing_number(text)) add_number(use, parsed_number(use, text), example);
      break;
    case ColumnRole::kString:
      text = trimmed(text);
      example.has_columns = true;
      if (!text.empty()) example.columns.push_back({&use, text, 1.0F});
      break;
  }
}

}  // namespace cane

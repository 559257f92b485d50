// JSON lines: an object for each example; its keys are the columns of a table.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/bad_line.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

/// The value of a key.
struct JsonCell {
  enum Kind { kNull, kNumber, kString, kNested };
  Kind kind = kNull;
  double number = 0.0;
  std::string_view text = {};  // of a number or boolean as it is written, or the string
};

/// Receives the events of the parser and calls visit(key, cell) for each value of the outermost
/// object. What lies within arrays and objects is passed over.
template <typename Visit>
class ObjectReader {
 public:
  explicit ObjectReader(const Visit& visit) : visit_(visit) {}

  bool null() { return give({.kind = JsonCell::kNull}); }
  bool boolean(bool value) {
    return give({JsonCell::kNumber, value ? 1.0 : 0.0, value ? "true" : "false"});
  }
  bool number_integer(std::int64_t value) { return give_integer(value); }
  bool number_unsigned(std::uint64_t value) { return give_integer(value); }
  bool number_float(double value, const std::string& text) {
    return give({JsonCell::kNumber, value, text});
  }
  bool string(std::string& value) { return give({JsonCell::kString, 0.0, value}); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return depth_++ == 0 || nested(); }
  bool end_object() {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) { return depth_++ > 0 && nested(); }
  bool end_array() {
    --depth_;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ == 1) key_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    return false;
  }

 private:
  template <typename Integer>
  bool give_integer(Integer value) {
    char text[24];
    const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
    return give({JsonCell::kNumber,
                 static_cast<double>(value),
                 {text, static_cast<std::size_t>(end - text)}});
  }
  bool nested() {
    if (depth_ == 2) visit_(std::string_view(key_), JsonCell{.kind = JsonCell::kNested});
    return true;
  }
  bool give(const JsonCell& cell) {
    if (depth_ == 0) return false;  // no object
    if (depth_ == 1) visit_(std::string_view(key_), cell);
    return true;
  }

  const Visit& visit_;
  std::string key_;
  int depth_ = 0;
};

template <typename Visit>
bool read_object(std::string_view line, const Visit& visit) {
  ObjectReader reader(visit);
  return nlohmann::json::sax_parse(line.begin(), line.end(), &reader);
}

void count_cell(const JsonCell& cell, ColumnSample& column) {
  switch (cell.kind) {
    case JsonCell::kNull:
      break;
    case JsonCell::kNumber:
      ++column.numbers;
      column.squares += cell.number * cell.number;
      break;
    case JsonCell::kString:
      ++column.strings;
      column.blanks +=
          static_cast<std::uint64_t>(std::count(cell.text.begin(), cell.text.end(), ' '));
      break;
    case JsonCell::kNested:
      ++column.nested;
      break;
  }
}

}  // namespace

bool is_json_line(std::string_view line, bool) {
  const char* const end = line.data() + line.size();
  const char* cursor = skip_blanks(line.data(), end);
  if (cursor == end || *cursor != '{') return false;
  cursor = skip_blanks(cursor + 1, end);
  return cursor != end && (*cursor == '"' || *cursor == '}') &&
         line.find_last_not_of(" \t\r") == line.rfind('}');
}

TableSample sample_json(TableStart& start) {
  TableSample sample;
  sample.is_open = true;
  const Vocabulary* const known = start.search.known;
  if (known != nullptr && !known->columns.empty()) return sample;
  constexpr std::uint64_t kRows = 1000;
  std::uint64_t rows = 0;
  StringTable keys;
  const auto count = [&](std::string_view key, const JsonCell& cell) {
    const std::uint32_t column = keys.find_or_add(key);
    if (column == sample.columns.size()) sample.columns.push_back({.name = std::string(key)});
    count_cell(cell, sample.columns[column]);
  };
  for (const TextBlock& block : start.blocks) {
    std::string_view rest = block.text;
    while (!rest.empty() && rows < kRows) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      // Lines that are no objects are reported when they are parsed.
      if (read_object(rest.substr(0, length), count)) ++rows;
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
  }
  return sample;
}

void parse_json_line(std::string_view line, const TextHeader& header, Example& example) {
  const Table& table = *header.table;
  example.storage.clear();
  // Views into the storage stay valid: values are no longer than what is written in the line.
  example.storage.reserve(line.size());
  const auto add = [&](std::string_view key, const JsonCell& cell) {
    const std::uint32_t column = table.keys.find(key);
    if (column == StringTable::kNone || cell.kind == JsonCell::kNull) return;
    const ColumnUse& use = table.uses[column];
    if (use.role == ColumnRole::kNone) return;
    if (cell.kind == JsonCell::kNested) {
      throw BadLine{fmt::format(
          "column {} holds an array or an object; write a string or a number, or name other "
          "columns with `text_column` and `features_columns`",
          in_quotes(use.name))};
    }
    const bool is_number = use.role == ColumnRole::kNumber || use.role == ColumnRole::kWeight;
    if (is_number && cell.kind == JsonCell::kNumber) {
      add_number(use, static_cast<float>(cell.number), example);
      return;
    }
    const std::size_t begin = example.storage.size();
    example.storage.append(cell.text);
    add_cell(use, std::string_view(example.storage).substr(begin), example);
  };
  if (!read_object(line, add)) {
    throw BadLine{fmt::format("{} is not a JSON object; write one object a line, as in {}",
                              in_quotes(line), R"({"text": "...", "label": "..."})")};
  }
}

}  // namespace cane

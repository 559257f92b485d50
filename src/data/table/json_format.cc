// JSON lines: an object for each example; its keys are the columns of a table.
#include <fmt/format.h>

#include <simdjson.h>
#include <algorithm>
#include <cstdint>
#include <string>

#include "core/base/bad_line.h"
#include "data/table/columns.h"
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

namespace ondemand = simdjson::ondemand;

JsonCell read_cell(ondemand::value value, int depth);

/// `depth`: of the objects and arrays around.
template <typename Visit>
void read_fields(ondemand::object object, int depth, const Visit& visit) {
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    visit(key, read_cell(field.value(), depth + 1));
  }
}

// What lies within arrays and objects is passed over, but it must be JSON, and not deep enough to
// exhaust the stack.
JsonCell read_cell(ondemand::value value, int depth) {
  constexpr int kDeepest = 100;
  if (depth > kDeepest) throw simdjson::simdjson_error(simdjson::DEPTH_ERROR);
  switch (ondemand::json_type(value.type())) {
    case ondemand::json_type::string:
      return {JsonCell::kString, 0.0, value.get_string()};
    case ondemand::json_type::number: {
      std::string_view text = value.raw_json_token();
      text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
      return {JsonCell::kNumber, value.get_double(), text == "-0" ? "0" : text};
    }
    case ondemand::json_type::boolean: {
      const bool is_true = value.get_bool();
      return {JsonCell::kNumber, is_true ? 1.0 : 0.0, is_true ? "true" : "false"};
    }
    case ondemand::json_type::array:
      for (auto item : value.get_array()) read_cell(item.value(), depth + 1);
      return {.kind = JsonCell::kNested};
    case ondemand::json_type::object:
      read_fields(value.get_object(), depth, [](std::string_view, const JsonCell&) {});
      return {.kind = JsonCell::kNested};
    case ondemand::json_type::null:
      if (!bool(value.is_null())) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
  }
  return {};
}

/// Calls visit(key, cell) for each value of the object in a line. Returns false if the line holds
/// anything else.
template <typename Visit>
bool read_object(std::string_view line, const Visit& visit) {
  thread_local ondemand::parser parser;
  thread_local std::string padded;  // the parser reads some bytes beyond the end
  padded.assign(line).append(simdjson::SIMDJSON_PADDING, '\0');
  try {
    ondemand::document document = parser.iterate(padded.data(), line.size(), padded.size());
    read_fields(document.get_object(), 0, visit);
    return document.current_location().error() != simdjson::SUCCESS;  // nothing follows
  } catch (const simdjson::simdjson_error&) {
    return false;
  }
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

TableSample sample_json(const std::vector<TextBlock>& blocks, const Vocabulary* known) {
  TableSample sample;
  sample.is_open = true;
  if (known != nullptr && !known->columns.empty()) return sample;
  constexpr std::uint64_t kRows = 1000;
  std::uint64_t rows = 0;
  StringTable keys;
  const auto count = [&](std::string_view key, const JsonCell& cell) {
    const std::uint32_t column = keys.find_or_add(key);
    if (column == sample.columns.size()) sample.columns.push_back({.name = std::string(key)});
    count_cell(cell, sample.columns[column]);
  };
  for (const TextBlock& block : blocks) {
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
    if (use.role == ColumnRole::kNone && use.kept == 0) return;
    if (cell.kind == JsonCell::kNested && use.role == ColumnRole::kLabel) {
      throw BadLine{fmt::format(
          "column {} holds an array or an object, but a row has one label, a string or a number; "
          "write a row for each label",
          in_quotes(use.name))};
    }
    if (cell.kind == JsonCell::kNested) {
      throw BadLine{fmt::format(
          "column {} holds an array or an object; write a string or a number, or name other "
          "columns with `text_column` and `features_columns`",
          in_quotes(use.name))};
    }
    if (use.kept > 0) keep_cell(use, cell.text, example);
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

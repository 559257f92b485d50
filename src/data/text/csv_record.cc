#include "data/text/csv_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/base/bad_line.h"

namespace cane {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// The closing quote of a field whose content begins at `begin`.
std::size_t closing_quote(std::string_view text, std::size_t begin) {
  for (std::size_t at = text.find('"', begin); at != kNone; at = text.find('"', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != '"') return at;
  }
  return kNone;
}

std::size_t find_either(std::string_view text, std::size_t begin, char first, char second) {
  while (begin < text.size() && text[begin] != first && text[begin] != second) ++begin;
  return begin < text.size() ? begin : kNone;
}

// Copies the content of a quoted field with its doubled quotes made single.
std::string_view without_doubled_quotes(std::string_view content, std::string& storage) {
  const std::size_t begin = storage.size();
  for (std::size_t at = 0; at < content.size(); ++at) {
    storage += content[at];
    if (content[at] == '"') ++at;
  }
  return std::string_view(storage).substr(begin);
}

}  // namespace

std::string_view take_record(std::string_view& text, char separator) {
  const std::size_t end = separator == '\0' ? text.find('\n') : record_length(text, separator);
  const std::string_view record = text.substr(0, end);
  text.remove_prefix(std::min(record.size() + 1, text.size()));
  return record;
}

std::size_t record_length(std::string_view text, char separator) {
  const std::size_t line_end = text.find('\n');
  // Most lines hold no quote.
  if (line_end != kNone && text.substr(0, line_end).find('"') == kNone) return line_end;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = closing_quote(text, at + 1);
      if (at == kNone) return kNone;
    }
    at = find_either(text, at, separator, '\n');
    if (at == kNone || text[at] == '\n') return at;
    ++at;
  }
  return kNone;
}

std::size_t whole_records(std::string_view text, char separator) {
  if (text.find('"') == kNone) return text.rfind('\n') + 1;
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t length = record_length(text.substr(end), separator);
    if (length == kNone) break;
    end += length + 1;
  }
  return end;
}

std::optional<std::vector<std::string>> fields_of(std::string_view record, char separator) {
  std::string storage;
  std::vector<std::string_view> fields;
  try {
    split_record(record, separator, storage, fields);
    return std::vector<std::string>(fields.begin(), fields.end());
  } catch (const BadLine&) {
    return std::nullopt;
  }
}

void split_record(std::string_view record, char separator, std::string& storage,
                  std::vector<std::string_view>& fields) {
  fields.clear();
  storage.clear();
  // Views into the storage stay valid: it never holds more than the record.
  storage.reserve(record.size());
  if (record.ends_with('\r')) record.remove_suffix(1);
  for (std::size_t begin = 0; begin <= record.size();) {
    std::size_t end = 0;
    if (begin < record.size() && record[begin] == '"') {
      const std::size_t quote = closing_quote(record, begin + 1);
      if (quote == kNone) {
        throw BadLine{fmt::format(
            "field {} begins with a quote that is not closed; close it, or write the field in "
            "quotes and each quote within it twice",
            fields.size() + 1)};
      }
      end = quote + 1;
      if (end < record.size() && record[end] != separator) {
        throw BadLine{fmt::format(
            "field {} goes on behind its closing quote; write each quote within a quoted field "
            "twice",
            fields.size() + 1)};
      }
      const std::string_view content = record.substr(begin + 1, quote - begin - 1);
      fields.push_back(content.find('"') == kNone ? content
                                                  : without_doubled_quotes(content, storage));
    } else {
      end = std::min(record.find(separator, begin), record.size());
      fields.push_back(record.substr(begin, end - begin));
    }
    begin = end + 1;
  }
}

}  // namespace cane

// The extreme-classification repository's format: a header with the numbers of rows, features and
// labels, then lines `label,label index:value ...`.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/bad_line.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

std::string_view checked_label(std::string_view label, const TextHeader& header) {
  if (label.empty() || !std::all_of(label.begin(), label.end(), is_digit)) {
    throw BadLine{fmt::format(
        "label {} is not a whole number; write labels as numbers, separated by commas, or "
        "take `format svm`, whose labels are any text",
        in_quotes(label))};
  }
  std::uint64_t number = 0;
  parse_digits(label.data(), label.data() + label.size(), number);
  if (number >= header.labels) {
    throw BadLine{
        fmt::format("label {} is out of range: the header announces {} labels, numbered from 0; "
                    "correct the label or the header",
                    in_quotes(label), header.labels)};
  }
  while (label.size() > 1 && label.front() == '0') label.remove_prefix(1);
  return label;
}

}  // namespace

TextHeader parse_xmc_header(std::string_view line) {
  constexpr std::uint64_t kMax = TextHeader::kMaxFeatures;
  std::uint64_t numbers[3] = {};
  const char* cursor = line.data();
  const char* const end = cursor + line.size();
  for (std::uint64_t& number : numbers) {
    const char* const begin = skip_blanks(cursor, end);
    cursor = parse_digits(begin, end, number);
    if (cursor == begin || (cursor != end && !is_blank(*cursor)) || number > kMax) {
      throw BadLine{fmt::format(
          "{} is not a header; the first line must hold the numbers of rows, features and labels",
          in_quotes(line))};
    }
  }
  if (skip_blanks(cursor, end) != end) {
    throw BadLine{fmt::format(
        "{} is not a header; the first line must hold three numbers: rows, features and labels",
        in_quotes(line))};
  }
  return {.is_given = true, .rows = numbers[0], .features = numbers[1], .labels = numbers[2]};
}

bool is_xmc_header(std::string_view line, bool is_first) {
  try {
    if (is_first) parse_xmc_header(line);
    return is_first;
  } catch (const BadLine&) {
    return false;
  }
}

void parse_xmc_line(std::string_view line, const TextHeader& header, Example& example) {
  const char* cursor = line.data();
  const char* const end = cursor + line.size();
  const char* const labels_end = token_end(cursor, end);
  const std::string_view labels(cursor, static_cast<std::size_t>(labels_end - cursor));
  if (!labels.empty() && labels.find(':') == std::string_view::npos) {
    for (std::size_t begin = 0; begin <= labels.size();) {
      const std::size_t comma = std::min(labels.find(',', begin), labels.size());
      example.labels.push_back(checked_label(labels.substr(begin, comma - begin), header));
      begin = comma + 1;
    }
    cursor = labels_end;
  }
  parse_index_features(cursor, end, header.features, example);
}

}  // namespace cane

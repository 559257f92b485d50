#include "core/base/field_text.h"

#include <algorithm>
#include <cmath>

#include "core/base/bad_line.h"
#include "core/base/words.h"

namespace cane {
namespace {

// Describes the range, ignoring "auto".
std::string numbers_text(const Range& range) {
  const bool has_least = std::isfinite(range.least);
  const bool has_most = std::isfinite(range.most);
  const auto number = [](double value) {
    return std::trunc(value) == value ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
  };
  const std::string least = number(range.least);
  const std::string most = number(range.most);
  if (!has_least) return has_most ? most + (range.without_most ? " or below" : " or less") : "";
  if (!has_most) return range.without_least ? "above " + least : least + " or more";
  if (range.without_least) {
    return range.without_most ? fmt::format("between {} and {}", least, most)
                              : fmt::format("above {} and at most {}", least, most);
  }
  return range.without_most ? fmt::format("{} or more, and below {}", least, most)
                            : fmt::format("from {} to {}", least, most);
}

}  // namespace

std::string dashed_name(const Field& field) {
  std::string name = field.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string flag_name(const Field& field) {
  return *field.flag != '\0' ? field.flag : dashed_name(field);
}

std::string range_text(const Field& field) {
  const std::string numbers = numbers_text(field.range);
  return field.automatic && !numbers.empty() ? numbers + ", or auto" : numbers;
}

std::string newer_text(const std::string& writer, const std::string& what) {
  return fmt::format("it was written by {}, which knows {}; use that version", writer, what);
}

void check_number(const Field& field, double number, const char* what) {
  if (field.automatic && number == *field.automatic) return;
  const Range& range = field.range;
  const bool above_least = range.without_least ? number > range.least : number >= range.least;
  const bool below_most = range.without_most ? number < range.most : number <= range.most;
  const bool has_range = std::isfinite(range.least) || std::isfinite(range.most);
  if (!has_range || (std::isfinite(number) && above_least && below_most)) return;
  const bool is_too_large = std::isinf(number) && above_least;
  throw OptionError(field.name, fmt::format("{} must be {}{}", what, range_text(field),
                                            is_too_large ? ", and no larger than 3e38" : ""));
}

std::string char_ngrams_text(const CharNgrams& lengths) {
  if (lengths == CharNgrams::automatic()) return "auto";
  if (lengths == CharNgrams::ends()) return "ends";
  return lengths == CharNgrams{} ? "none" : fmt::format("{}-{}", lengths.min, lengths.max);
}

CharNgrams parse_char_ngrams(const Field& field, const std::string& text) {
  if (text == "auto") return CharNgrams::automatic();
  if (text == "none") return {};
  if (text == "ends") return CharNgrams::ends();
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto length = [&](const std::string& part) {
    return parse_number<std::uint32_t>(field.name, part);
  };
  const std::uint32_t min = length(text.substr(0, dash));
  const std::uint32_t max = dash == text.size() ? min : length(text.substr(dash + 1));
  if (min == 0)
    throw OptionError(field.name, "lengths must be above 0, as in 3-5; or ends, or none");
  return {min, max};
}

std::vector<std::uint32_t> parse_numbers(const Field& field, const std::string& text) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& part : split(text, ',')) {
    numbers.push_back(parse_number<std::uint32_t>(field.name, part));
    check_number(field, numbers.back(), "each number");
  }
  return numbers;
}

bool parse_bool(const Field& field, const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  throw OptionError(field.name, fmt::format("{} does not fit", in_quotes(text)),
                    "give true or false");
}

}  // namespace cane

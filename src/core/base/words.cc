#include "core/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "cane/error.h"
#include "core/base/bad_line.h"

namespace cane {

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t place = text.size(); place > 3;) {
    place -= 3;
    text.insert(place, 1, ',');
  }
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds < 10.0) return fmt::format("{:.2f} s", seconds);
  constexpr double kMax = 1e9;
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, kMax)));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char character : word) {
    if (character == '\'') {
      text += "'\\''";
    } else {
      text += character;
    }
  }
  return text + "'";
}

std::uint64_t parse_whole(const std::string& field, const std::string& text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  const bool is_number = !text.empty() && stop == end;
  if (is_number && problem == std::errc() && value <= most) return value;
  if (is_number) {
    throw OptionError(field, fmt::format("{} is too large", shown(text)),
                      fmt::format("the most is {}", most));
  }
  throw OptionError(field, fmt::format("{} does not fit", in_quotes(text)),
                    "give a whole number, 0 or more");
}

double parse_real(const std::string& field, const std::string& text) {
  char* stop = nullptr;
  const double value = std::strtod(text.c_str(), &stop);
  if (!text.empty() && stop == text.c_str() + text.size() && std::isfinite(value)) return value;
  throw OptionError(field, fmt::format("{} does not fit", in_quotes(text)),
                    "give a number such as 0.5 or 1e-3");
}

std::optional<double> parse_duration(const std::string& text) {
  const std::size_t unit = text.empty() ? std::string::npos : std::string("smh").find(text.back());
  if (unit == std::string::npos) return std::nullopt;
  constexpr double kSeconds[] = {1.0, 60.0, 3600.0};
  try {
    const double number = parse_real("time", text.substr(0, text.size() - 1));
    if (number > 0.0) return kSeconds[unit] * number;
  } catch (const OptionError&) {
    // The caller reports what it expects instead of this text.
  }
  return std::nullopt;
}

}  // namespace cane

// Formatting and parsing of numbers for people.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cane {

/// "12,345"
std::string count_text(std::uint64_t count);
/// "0.42 s", "42 s", "3:05 min", "2:03:05 h"
std::string seconds_text(double seconds);
/// What lies between the separators, which may be nothing.
std::vector<std::string> split(std::string_view text, char separator);
/// Quotes text as one shell word.
std::string quoted(const std::string& word);

/// Both throw OptionError, naming the field, unless the whole text is a number in range.
std::uint64_t parse_whole(const std::string& field, const std::string& text, std::uint64_t most);
double parse_real(const std::string& field, const std::string& text);

/// The seconds of a time as people write it: "90s", "5m", "1.5h". Nothing if it is none.
std::optional<double> parse_duration(const std::string& text);

template <typename Number>
Number parse_number(const std::string& field, const std::string& text) {
  if constexpr (std::integral<Number>) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    return static_cast<Number>(parse_whole(field, text, kMax));
  } else {
    return static_cast<Number>(parse_real(field, text));
  }
}

}  // namespace cane

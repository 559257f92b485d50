// Numbers in text, the inner loop of every text reader. A short decimal is read as an integer below
// 2^24 divided by a power of ten up to 10^7; a float holds both exactly, so the quotient is the
// correctly rounded value. Everything else goes through std::from_chars.
#pragma once

#include <cstdint>
#include <string_view>

namespace cane {

constexpr bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\r';
}

inline bool is_digit(char character) {
  return static_cast<unsigned char>(character - '0') < 10;
}

/// The first character from `cursor` on that is not a blank.
inline const char* skip_blanks(const char* cursor, const char* end) {
  while (cursor != end && is_blank(*cursor)) ++cursor;
  return cursor;
}

/// The first blank from `cursor` on.
inline const char* token_end(const char* cursor, const char* end) {
  while (cursor != end && !is_blank(*cursor)) ++cursor;
  return cursor;
}

inline bool is_blank_line(std::string_view line) {
  const char* const end = line.data() + line.size();
  return skip_blanks(line.data(), end) == end;
}

/// The text without blanks at its ends.
inline std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Reads a finite number that starts at `cursor` and ends at a blank or at `end`; returns where it
/// ends, or null if there is none.
const char* parse_any_float(const char* cursor, const char* end, float& value);

/// The same, and fast for short decimals.
inline const char* parse_float(const char* cursor, const char* end, float& value) {
  constexpr float kPowers[] = {1.0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F};
  constexpr int kMaxDigits = 7;
  const char* position = cursor;
  const bool negative = position != end && *position == '-';
  if (negative) ++position;
  std::uint32_t mantissa = 0;
  int digits = 0;
  int fraction_digits = 0;
  for (; position != end && is_digit(*position) && digits < kMaxDigits; ++position, ++digits) {
    mantissa = mantissa * 10 + static_cast<std::uint32_t>(*position - '0');
  }
  if (position != end && *position == '.') {
    ++position;
    for (; position != end && is_digit(*position) && digits < kMaxDigits; ++position, ++digits) {
      mantissa = mantissa * 10 + static_cast<std::uint32_t>(*position - '0');
      ++fraction_digits;
    }
  }
  if (digits == 0 || (position != end && !is_blank(*position))) {
    return parse_any_float(cursor, end, value);
  }
  const float magnitude = static_cast<float>(mantissa) / kPowers[fraction_digits];
  value = negative ? -magnitude : magnitude;
  return position;
}

/// Reads digits from `cursor` on; returns where they end. A number of 2^32 or more reads as 2^32.
inline const char* parse_digits(const char* cursor, const char* end, std::uint64_t& number) {
  constexpr std::uint64_t kCeiling = std::uint64_t{1} << 32;
  number = 0;
  for (; cursor != end && is_digit(*cursor); ++cursor) {
    number = number * 10 + static_cast<std::uint64_t>(*cursor - '0');
    if (number > kCeiling) number = kCeiling;
  }
  return cursor;
}

}  // namespace cane

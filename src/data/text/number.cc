#include "data/text/number.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace cane {

const char* parse_any_float(const char* cursor, const char* end, float& value) {
  if (cursor != end && *cursor == '+') {
    ++cursor;
    if (cursor != end && *cursor == '-') return nullptr;
  }
  std::from_chars_result result = std::from_chars(cursor, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too small for a float: the wider type tells which.
    long double wide = 0.0L;
    result = std::from_chars(cursor, end, wide);
    if (std::abs(wide) > 1.0L) return nullptr;
    value = static_cast<float>(wide);
  }
  if (result.ec != std::errc() || !std::isfinite(value)) return nullptr;
  return result.ptr == end || is_blank(*result.ptr) ? result.ptr : nullptr;
}

}  // namespace cane

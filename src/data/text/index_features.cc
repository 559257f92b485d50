#include <fmt/format.h>

#include <algorithm>

#include "core/base/bad_line.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

// Reports what is wrong with the pair at `cursor`; kept out of the loop that reads pairs.
[[noreturn]] void reject_pair(const char* cursor, const char* end, std::uint64_t limit,
                              const Example& example) {
  const std::string_view token(cursor, static_cast<std::size_t>(token_end(cursor, end) - cursor));
  const std::size_t colon = token.find(':');
  const std::string_view index = token.substr(0, colon);
  const bool negative = index.starts_with('-');
  const std::string_view digits = index.substr(negative ? 1 : 0);
  if (colon == std::string_view::npos || digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), is_digit)) {
    throw BadLine{
        fmt::format("{} is not a feature; write features as index:value, separated by blanks",
                    in_quotes(token))};
  }
  std::uint64_t number = 0;
  parse_digits(digits.data(), digits.data() + digits.size(), number);
  if (negative || number >= limit) {
    throw BadLine{fmt::format("feature index {} is out of range; indices must be from 0 to {} here",
                              in_quotes(index), limit - 1)};
  }
  if (!example.indices.empty() && number <= example.indices.back()) {
    throw BadLine{
        fmt::format("feature index {} after {}: indices must increase; sort each line's features "
                    "and write each only once",
                    number, example.indices.back())};
  }
  throw BadLine{fmt::format(
      "value {} of feature {} is not a finite number; correct it, or pass such lines over with "
      "`on_error skip`",
      in_quotes(token.substr(colon + 1)), number)};
}

}  // namespace

void parse_index_features(const char* cursor, const char* end, std::uint64_t limit,
                          Example& example) {
  std::uint64_t lowest = 0;
  while (true) {
    cursor = skip_blanks(cursor, end);
    if (cursor == end) return;
    std::uint64_t index = 0;
    const char* const colon = parse_digits(cursor, end, index);
    if (colon == cursor || colon == end || *colon != ':' || index < lowest || index >= limit) {
      reject_pair(cursor, end, limit, example);
    }
    float value = 0.0F;
    const char* const stop = parse_float(colon + 1, end, value);
    if (stop == nullptr) reject_pair(cursor, end, limit, example);
    example.indices.push_back(static_cast<FeatureId>(index));
    example.values.push_back(value);
    lowest = index + 1;
    cursor = stop;
  }
}

}  // namespace cane

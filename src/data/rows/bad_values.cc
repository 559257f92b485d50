#include "data/rows/bad_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cane {

template <typename Element>
std::size_t find_bad(std::span<const Element> values) {
  constexpr auto kMax = double{std::numeric_limits<float>::max()};
  // Rows of such values can be squared, whatever their length; false for NaN.
  const auto is_small = [](Element value) { return std::abs(value) <= Element{1e14F}; };
  if (std::all_of(values.begin(), values.end(), is_small)) return values.size();
  const auto is_good = [](Element value) { return std::abs(double{value}) <= kMax; };
  const auto bad = std::find_if_not(values.begin(), values.end(), is_good);
  if (bad != values.end()) return static_cast<std::size_t>(bad - values.begin());
  double squares = 0.0;
  for (const Element value : values) squares += double{value} * double{value};
  if (squares <= kMax) return values.size();
  const auto less = [](Element a, Element b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end(), less) -
                                  values.begin());
}
template std::size_t find_bad(std::span<const float> values);
template std::size_t find_bad(std::span<const double> values);

std::string bad_value_text(const std::string& name, std::uint64_t row, std::uint64_t column,
                           double value) {
  return fmt::format(
      "{}: row {}, column {} (counted from 0): {} is {}; clean the data, or pass such rows over "
      "with `on_error skip`",
      name, row, column, value,
      std::abs(value) <= double{std::numeric_limits<float>::max()}
          ? "too large for a row to be squared"
          : "no finite 32-bit number");
}

}  // namespace cane

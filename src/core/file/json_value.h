// Values of JSON that came from a file. The conversions of the JSON library take any number for any
// other, so that 1e300 or -1 become some integer; these refuse what the type does not hold.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cane {

/// A number that does not fit its type.
struct BadNumber : std::runtime_error {
  explicit BadNumber(const std::string& what = "a number in it is out of range")
      : std::runtime_error(what) {}
};

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

/// Throws BadNumber, or nlohmann::json::exception for a value of another kind.
template <typename T>
T json_value(const nlohmann::json& json) {
  if constexpr (kIsVector<T>) {
    T values;
    for (const auto& element : json.get_ref<const nlohmann::json::array_t&>()) {
      values.push_back(json_value<typename T::value_type>(element));
    }
    return values;
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto value = json.get<double>();
    if (!(std::abs(value) <= double{std::numeric_limits<T>::max()})) throw BadNumber();
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (json.is_number_unsigned()) {
      const auto value = json.get<std::uint64_t>();
      if (!std::in_range<T>(value)) throw BadNumber();
      return static_cast<T>(value);
    }
    if (json.is_number() && !json.is_number_integer()) throw BadNumber();
    const auto value = json.get<std::int64_t>();
    if (!std::in_range<T>(value)) throw BadNumber();
    return static_cast<T>(value);
  } else {
    return json.get<T>();
  }
}

}  // namespace cane

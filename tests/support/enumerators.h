// The enumerators of an enum, found from the names that the compiler gives them, so that a table
// that lacks one is noticed without a second list.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace cane::testing {

/// A value without an enumerator is spelled as a cast: "(cane::Method)12".
template <typename Enum, Enum value>
constexpr bool is_enumerator() {
  const std::string_view name = __PRETTY_FUNCTION__;
  const std::string_view spelled = name.substr(name.rfind("value = ") + 8);
  return spelled.front() != '(';
}

/// Enumerators from 0 to 63.
template <typename Enum>
std::vector<Enum> enumerators() {
  std::vector<Enum> values;
  [&]<std::size_t... number>(std::index_sequence<number...>) {
    ((is_enumerator<Enum, static_cast<Enum>(number)>() ? values.push_back(static_cast<Enum>(number))
                                                       : void()),
     ...);
  }
  (std::make_index_sequence<64>{});
  return values;
}

}  // namespace cane::testing

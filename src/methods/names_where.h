// Lists of names out of the tables, for messages.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace cane {

/// The names of the rows for which `holds` is true: "a, b and c".
template <typename Rows, typename Predicate>
std::string names_where(const Rows& rows, Predicate holds) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (holds(row)) names.emplace_back(row.name);
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace cane

// Code shared by the tables of methods, selectors, encoders, noise laws and optimisers. A table is
// an array with one row for each value of an enum, in the order of the enum. A row begins with
// `kind`, `name` (as the user types it and as a model file stores it) and `summary` (one line for
// help and documentation).
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>

namespace cane {

/// The scorers that a method or a selector supports.
enum class FittingScorers { kFlat, kPath, kBoth };

/// Whether each row is at the index of its value; to be asserted after every table.
template <typename Row, std::size_t size>
constexpr bool is_in_order(const std::array<Row, size>& rows) {
  for (std::size_t i = 0; i < size; ++i) {
    if (rows[i].kind != static_cast<decltype(rows[i].kind)>(i)) return false;
  }
  return true;
}

/// Throws if a value has no row; in a constant expression this is a compile error.
template <typename Row, std::size_t size, typename Kind>
constexpr const Row& row_at(const std::array<Row, size>& rows, Kind kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place >= size) throw std::logic_error("an option has a value without a row in its table");
  return rows[place];
}

}  // namespace cane

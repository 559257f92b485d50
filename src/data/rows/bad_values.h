// Numbers of rows that cannot be used in training, and how the user is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cane {

/// The first value of a row that is NaN, infinite or beyond the range of float; or the largest one
/// of values whose squares add up to more than that. Their number if all are good.
template <typename Element>
std::size_t find_bad(std::span<const Element> values);

/// What is wrong with a value. `name` identifies the data.
std::string bad_value_text(const std::string& name, std::uint64_t row, std::uint64_t column,
                           double value);

}  // namespace cane

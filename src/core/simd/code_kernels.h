// Inner products with vectors stored in 8 bits, for a search that only has to find which classes
// are worth an exact score. Sums are integers: they are exact, and the same on every machine.
//
// Sixteen vectors lie side by side in a panel: sixteen scales, sixteen biases, then for every pair
// of features the two codes of each vector. A panel begins at a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/types.h"

namespace cane {

inline constexpr std::uint32_t kCodeColumns = 16;

/// Number of values of a query: the dimension, padded with zeros.
constexpr std::size_t code_values(FeatureId dimension) {
  return (std::size_t{dimension} + 3) / 4 * 4;
}

constexpr std::size_t code_panel_bytes(FeatureId dimension) {
  return kCodeColumns * (2 * sizeof(float) + code_values(dimension));
}

/// An example in 16 bits: x is about scale * values.
struct CodeQuery {
  const std::int16_t* values;  // code_values() of them
  float scale;
};

/// Writes the code_values() values of x and returns their scale. No sum of score_panels overflows.
float quantize_query(std::span<const float> x, std::int16_t* values);

/// Makes a panel of vectors whose scores are minus infinity, for columns without a vector.
void clear_panel(FeatureId dimension, std::byte* panel);

/// Stores a vector in a column of a panel, and replaces its values by what is stored. Values and
/// biases that are no finite numbers count as zero.
void store_code(std::span<float> vector, float bias, std::uint32_t column, std::byte* panel);

void add_bias(float change, std::uint32_t column, std::byte* panel);

/// scores[c] = base + bias + x . w for the columns of `panels` consecutive panels.
void score_panels(const std::byte* panels, std::size_t count, FeatureId dimension,
                  const CodeQuery& query, float base, float* scores);

/// Asks for a panel that will soon be scored.
void prefetch_panels(const std::byte* panels, std::size_t count, FeatureId dimension);

}  // namespace cane

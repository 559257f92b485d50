// The softmax of many examples at once, over classes that are cut into shares: a matrix of scores
// has a row for each class and a column for each example, so that vectors go across examples and
// nothing is summed within a vector. Columns must be a multiple of kColumnMultiple.
#pragma once

#include <cstddef>
#include <span>

#include "core/simd/matrix_product.h"

namespace cane {

inline constexpr std::size_t kColumnMultiple = 16;

/// What is known about each column of a share. The exponentials are relative to the largest score
/// of the column in the share.
struct ColumnSums {
  float* largest;
  float* sums;
  float* squares;  // sums of the squared exponentials
};

/// Adds offsets[class] to each score and puts exp(score - largest of its column) into its place.
void exponentiate_columns(Matrix scores, const float* offsets, std::size_t classes,
                          std::size_t columns, const ColumnSums& result);

/// The same over all shares, which are taken in order.
void join_columns(std::span<const ColumnSums> shares, std::size_t columns,
                  const ColumnSums& result);

/// Below this a scaled exponential moves no weight, and is 0: products with it would be subnormal
/// numbers, with which some processors compute a hundred times slower.
inline constexpr float kLeastScaled = 1e-25F;

/// Multiplies each exponential by factors[column] exp(share_largest[column] - largest[column]).
void scale_columns(Matrix exponentials, std::size_t classes, std::size_t columns,
                   const float* share_largest, const float* largest, const float* factors);

}  // namespace cane

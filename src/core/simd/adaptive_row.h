// Steps on one contiguous row of weights whose length is adapted to every weight (AdaGrad): a sum
// of squared gradients is kept for each weight. A row is dimension + 1 floats, the bias last.
//
// The step is taken in two parts, because its size depends on how far the score would move.
#pragma once

#include "core/base/row_view.h"
#include "core/base/types.h"

namespace cane {

/// bias + x . weights, bit-identical to score_rows.
float score_row(const float* weights, FeatureId dimension, const RowView& row);

/// squares[i] += g2 * x[i]^2, then scaled[p] = x[i] / sqrt(squares[i]) for feature i = the p-th of
/// the row, 0 where that sum is 0; the bias likewise, scaled[row.count]. Returns the sum of
/// x[i] * scaled[p]: by how much the score moves when the weights move by `scaled`.
float adapt_row(FeatureId dimension, const RowView& row, float g2, float* squares, float* scaled);

/// weights[i] += step * scaled[p], and the bias.
void step_row(FeatureId dimension, const RowView& row, float step, const float* scaled,
              float* weights);

}  // namespace cane

// Scoring with weights that are stored in 8 or 16 bits: loads are widened in registers, so that
// gathered rows move a quarter or half of the bytes. A block has `dimension` rows of `stride`
// numbers, laid out as in block_kernels.h but without the last row: biases are floats of their own.
// Numbers of 8 bits are multiples of a scale: one for every column (a class), or one for every
// feature (its embedding). Sums are floats; a column's scale comes once, after the sum.
//
// As in block_kernels.h, the instruction set is chosen at run time, and what a task computes
// depends on that task alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/half.h"
#include "core/base/row_view.h"
#include "core/base/types.h"
#include "core/simd/block_kernels.h"

namespace cane {

enum class QuantizedType : std::uint8_t { kInt8, kFloat16 };

/// Location of the weights of a single block or of a table of rows.
struct QuantizedWeights {
  QuantizedType type;
  const void* weights;   // std::int8_t or Half
  const float* biases;   // one per column
  const float* scales;   // one per column or feature; unused with kFloat16
  bool scales_features;  // otherwise columns
};

/// As score_block in block_kernels.h. The stride is a multiple of 4.
void score_block(const QuantizedWeights& block, BlockShape shape, std::span<const ScoreTask> tasks);

/// As score_rows in row_kernels.h: row k begins at element k * pitch, its scale and bias are the
/// k-th.
void score_rows(const QuantizedWeights& table, std::size_t pitch, FeatureId dimension,
                const RowView& row, std::span<const ClassId> classes, float* scores);

/// The block as floats, (dimension + 1) x stride of them, biases in the last row. The stride is 1
/// or a multiple of 4; with 1, the scales belong to columns.
void decode_block(const QuantizedWeights& block, BlockShape shape, float* floats);

}  // namespace cane

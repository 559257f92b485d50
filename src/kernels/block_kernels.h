// The arithmetic on a block of weights: the weights of one node's children, feature-major, a row of
// `stride` floats for every feature and a last row for the bias, (dimension + 1) x stride in all.
// One pass over an example's features scores or updates all siblings with contiguous loads and no
// horizontal sum. Columns beyond the children are padding: they are zero and stay zero.
//
// The instruction set is chosen at run time. What a task computes depends on that task alone, to
// the bit, never on the tasks beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/row_view.h"
#include "base/types.h"

namespace cane {

/// The row length of a block with this many children: a multiple of what a SIMD load takes.
constexpr std::uint32_t block_stride(std::uint32_t children) {
  const std::uint32_t multiple = children <= 4 ? 4 : 8;
  return (children + multiple - 1) / multiple * multiple;
}

struct BlockShape {
  FeatureId dimension;
  std::uint32_t stride;
};

struct ScoreTask {
  RowView row;
  float base;     // added to every score
  float* scores;  // stride floats
};

/// scores[c] = base + bias[c] + sum over features i of x[i] * block[i][c]
void score_block(const float* block, BlockShape shape, std::span<const ScoreTask> tasks);

struct UpdateTask {
  RowView row;
  const float* steps;  // stride floats: minus the gradient in each child's score
};

/// block[i][c] += rate * steps[c] * x[i], the bias with x = 1; tasks one after the other.
void update_block(float* block, BlockShape shape, float rate, std::span<const UpdateTask> tasks);

/// The same with AdaGrad, one accumulator per weight: for g = steps[c] * x[i],
/// squares[i][c] += g^2, block[i][c] += rate * g / sqrt(squares[i][c]).
void adagrad_update_block(float* block, float* squares, BlockShape shape, float rate,
                          std::span<const UpdateTask> tasks);

/// block[i][c] *= factors[c] for the features of the row, and the bias.
void scale_block(float* block, BlockShape shape, const RowView& row, const float* factors);

/// The name of the instruction set in use.
std::string kernel_target();

}  // namespace cane

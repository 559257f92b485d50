// The arithmetic on a block of weights: the weights of one node's children, feature-major, a row of
// `stride` floats for every feature and a last row for the bias, (dimension + 1) x stride in all.
// One pass over an example's features scores or updates all siblings with contiguous loads and no
// horizontal sum. Columns beyond the children are padding: they are zero and stay zero.
//
// A stride is a multiple of 4, as block_stride() gives it, or 1: the block of a single class, a
// contiguous row of dimension + 1 floats.
//
// The instruction set is chosen at run time. The result of a task depends only on that task, to the
// bit, never on the other tasks; updates are bit-identical to applying the tasks one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/row_view.h"
#include "core/base/types.h"

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
  float bias;          // the value of the bias feature; 0: wide blocks are not touched there
  const float* steps;  // stride floats: minus the gradient in each child's score
};

/// block[i][c] += rate * steps[c] * x[i], tasks one after the other.
void update_block(float* block, BlockShape shape, float rate, std::span<const UpdateTask> tasks);

/// AdaGrad with one accumulator for every row of a block. With g2 the squared length of the steps:
/// sums[i] += g2 * x[i]^2, scaled[p] = x[i] / sqrt(sums[i]) for feature i = the p-th of the row.
void adagrad_scale(const RowView& row, float g2, float* sums, float* scaled);

/// block[i][c] *= factors[c] for the features of the row, and the bias.
void scale_block(float* block, BlockShape shape, const RowView& row, const float* factors);

struct BackTask {
  const float* steps;  // stride floats
  float* inputs;       // dimension floats
};

/// Backward pass to a dense input: inputs[i] += sum over columns c of steps[c] * block[i][c], for
/// every feature but not the bias.
void back_block(const float* block, BlockShape shape, std::span<const BackTask> tasks);

/// The name of the instruction set in use.
std::string kernel_target();

}  // namespace cane

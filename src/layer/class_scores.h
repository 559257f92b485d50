// The scores of shortlists from hidden states and class rows, and the way back. The classes that
// the batch shares are scored by one matrix product, each example's own classes by gathering their
// rows.
#pragma once

#include <torch/torch.h>

#include "layer/dispatch.h"
#include "layer/shortlists.h"

namespace cane::layer {

/// Scores by rows: weight [classes, width] float32 or bfloat16 and bias [classes] float32,
/// contiguous.
struct RowTables {
  torch::Tensor weight;
  torch::Tensor bias;
};

/// The rows of the shared classes with their biases [shared_columns, wide], zero where there is no
/// class; undefined if the batch shares none. Needed on both ways.
torch::Tensor shared_rows(const RowTables& tables, const Shortlists& lists);

/// [examples, stride] for hidden [examples, width], contiguous float32.
torch::Tensor class_scores(const torch::Tensor& hidden, const RowTables& tables,
                           const Shortlists& lists, const torch::Tensor& shared);

/// The gradient of hidden for a gradient in the scores.
torch::Tensor hidden_gradient(const torch::Tensor& gradient, const RowTables& tables,
                              const Shortlists& lists, const torch::Tensor& shared);

/// hidden [examples, width] with a one in the place of the bias and zeros up to whole vectors,
/// multiplied by `scale`, one value or null.
torch::Tensor widened_hidden(const torch::Tensor& hidden, const float* scale);

/// The gradient of each distinct class row, that of its bias in column `width`. Takes the widened
/// hidden states.
on_device::RowSums row_sums(const torch::Tensor& gradient, const torch::Tensor& widened,
                            std::int64_t classes, const Shortlists& lists);

/// The width of widened rows.
std::int64_t widened_width(std::int64_t width);

}  // namespace cane::layer

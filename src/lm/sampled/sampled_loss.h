// The loss of a batch over its shortlists, as an autograd function. The words that the batch shares
// are scored by one matrix product, each token's own words by products with their rows. Forward
// replaces the scores by d loss / d score; backward turns these into the gradient of the hidden
// states and, for the word rows, into sums by row. The latter go to a sink, not through autograd:
// the tables are large and a step touches few rows.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "lm/heads/row_gradient.h"
#include "lm/sampled/shortlist_maker.h"

namespace cane::lm {

using RowGradientSink = std::vector<RowGradient>;

/// Scores by rows: weight [words, width] and bias [words], float32, contiguous.
struct RowTables {
  torch::Tensor weight;
  torch::Tensor bias;
};

/// The subsets of a one-layer tree, for path sums: the score of a word is that of its row plus that
/// of its subset. Undefined tensors: no tree.
struct SubsetTables {
  torch::Tensor weight;           // [subsets, width], a parameter
  torch::Tensor bias;             // [subsets], a parameter
  torch::Tensor subset_of_class;  // [words] int64
};

/// The mean loss over the tokens, differentiable in hidden [tokens, width] (float32) and in the
/// tables of the subsets. The gradients of the word rows are in `sink` after backward.
torch::Tensor sampled_loss(const torch::Tensor& hidden, const RowTables& tables,
                           const SubsetTables& subsets, const Shortlists& lists, Method method,
                           const std::shared_ptr<RowGradientSink>& sink);

}  // namespace cane::lm

// The loss of a batch over its shortlists, as an autograd function. The classes that the batch
// shares are scored by one matrix product, each example's own classes by gathering their rows.
// Forward replaces the scores by d loss / d score; backward turns these into the gradient of the
// hidden states and, for the class rows, into sums by row. The latter go to a sink, not through
// autograd: the tables are large and a step touches few rows.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "layer/class_scores.h"
#include "layer/distinct_rows.h"
#include "layer/shortlists.h"
#include "methods/method_table.h"
#include "methods/with_objective.h"

namespace cane::layer {

using RowGradientSink = std::vector<RowGradient>;

/// The subsets of a one-layer tree, for path sums: the score of a class is that of its row plus
/// that of its subset. Undefined tensors: no tree.
struct SubsetTables {
  torch::Tensor weight;           // [subsets, width], a parameter
  torch::Tensor bias;             // [subsets], a parameter
  torch::Tensor subset_of_class;  // [classes] int32
};

/// The mean loss over the examples, differentiable in hidden [examples, width] (float32) and in the
/// tables of the subsets. The gradients of the class rows are in `sink` after backward.
torch::Tensor sampled_loss(const torch::Tensor& hidden, const RowTables& tables,
                           const SubsetTables& subsets, const Shortlists& lists, Method kind,
                           const std::shared_ptr<RowGradientSink>& sink);

/// A method that draws noises, by the name that classifiers have for it. Throws Error, which names
/// the option and the methods that there are.
Method sampled_method(const std::string& option, const std::string& name);

}  // namespace cane::layer

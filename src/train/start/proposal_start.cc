#include "train/start/proposal_start.h"

#include <algorithm>
#include <cmath>

#include "core/simd/block_kernels.h"

namespace cane {
namespace {

// Steps of a proposal, relative to the squared length of its inputs.
struct ProposalSteps {
  float classes;
  float projection;
};
constexpr ProposalSteps kNarrowSteps = {4.0F, 0.5F};
// A tree trains on all examples, and a step at a node moves all classes below it.
constexpr ProposalSteps kTreeSteps = {kTreeClassStep, 0.1F};
// Of the squared scores. Class means that say nothing begin with scores of nearly zero, for which
// steps would have no bound.
constexpr double kLeastScore = 1.0;

}  // namespace

void set_projection(const PrincipalDirections& directions, const BlockLayout& layout,
                    float* weights) {
  const std::size_t stride = layout.widest_stride();
  const std::size_t dimension = layout.dimension();
  float* bias = weights + dimension * stride;
  for (std::size_t i = 0; i < dimension; ++i) {
    const float* loadings = directions.loadings.data() + i * directions.rank;
    for (std::size_t c = 0; c < directions.rank; ++c) {
      weights[i * stride + c] = loadings[c];
      bias[c] -= directions.mean[i] * loadings[c];
    }
  }
}

ProjectedCopy::ProjectedCopy(std::span<const RowView> from, const BlockLayout& layout,
                             const float* weights, std::uint32_t rank)
    : values(from.size() * layout.widest_stride()) {
  std::vector<ScoreTask> tasks;
  for (std::size_t i = 0; i < from.size(); ++i) {
    float* row = values.data() + i * layout.widest_stride();
    tasks.push_back({from[i], 0.0F, row});
    rows.push_back({nullptr, row, rank});
  }
  score_block(weights, layout.shape(0), tasks);
}

double mean_square(std::span<const RowView> rows) {
  double squares = 0.0;
  for (const RowView& row : rows) {
    for (std::uint32_t p = 0; p < row.count; ++p) {
      squares += static_cast<double>(row.values[p]) * static_cast<double>(row.values[p]);
    }
  }
  return squares / static_cast<double>(rows.size());
}

ProposalBalance::ProposalBalance(const ProposalLengths& lengths, float scale, bool in_tree) {
  const double example_square = std::max(lengths.examples, 1e-12);
  const double class_square =
      std::max(lengths.means * static_cast<double>(scale) * scale, kLeastScore / example_square);
  factor = static_cast<float>(std::pow(class_square / example_square, 0.25));
  const double inputs = example_square * static_cast<double>(factor) * factor + 1.0;
  const double features = (lengths.features + 1.0) * std::sqrt(class_square * example_square);
  const ProposalSteps& steps = in_tree ? kTreeSteps : kNarrowSteps;
  class_step = steps.classes / static_cast<float>(inputs);
  projection_step = steps.projection / static_cast<float>(std::max(features, 1e-12));
}

void scale_proposal(const BlockLayout& layout, float scale, float factor, float* weights) {
  const std::size_t inputs = layout.dimension();
  for (std::uint32_t node = 0; node < layout.node_bound(); ++node) {
    const std::size_t stride = layout.shape(node).stride;
    float* block = weights + layout.offset(node);
    for (std::size_t i = 0; i < inputs * stride; ++i) block[i] *= scale / factor;
    for (std::size_t c = 0; c < stride; ++c) block[inputs * stride + c] *= scale;
  }
}

}  // namespace cane

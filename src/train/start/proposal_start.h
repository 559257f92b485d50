// How a proposal starts: the features projected onto the principal directions of the class means,
// and the projected means as its classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "linear/weights/block_layout.h"
#include "train/clusters/principal_directions.h"

namespace cane {

/// Sets weights that are zero to the projection of the features, minus the mean, onto the principal
/// directions.
void set_projection(const PrincipalDirections& directions, const BlockLayout& layout,
                    float* weights);

/// The rows projected by one block, stored contiguously.
struct ProjectedCopy {
  ProjectedCopy(std::span<const RowView> from, const BlockLayout& layout, const float* weights,
                std::uint32_t rank);
  std::vector<float> values;
  std::vector<RowView> rows;
};

/// The mean of the sums of the squares of each row.
double mean_square(std::span<const RowView> rows);

/// The step of the nodes of a proposal in a tree, relative to the squared length of its inputs.
inline constexpr float kTreeClassStep = 1.0F;

/// Mean squared lengths: of the examples, of these projected, and of the projected class means.
struct ProposalLengths {
  double features = 0.0;
  double examples = 0.0;
  double means = 0.0;
};

/// Scores are products of two factors: how their lengths are balanced, and the steps that fit.
struct ProposalBalance {
  /// The class means are to be multiplied by `scale`.
  ProposalBalance(const ProposalLengths& lengths, float scale, bool in_tree);
  float factor;      // of the projection
  float class_step;  // these two are rates
  float projection_step;
};

/// Multiplies the scores of the blocks of a proposal by `scale`, for inputs that are multiplied by
/// `factor`.
void scale_proposal(const BlockLayout& layout, float scale, float factor, float* weights);

}  // namespace cane

#include "train/steps/path_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "core/tree/huffman_tree.h"
#include "support/dense_gradient.h"
#include "support/random_model.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::RandomModel;
using testing::SmallData;

constexpr std::uint32_t kClasses = 10;
constexpr FeatureId kDimension = 5;

ClassTree three_children() {
  return balanced_tree(class_order(kClasses), 3);
}
ClassTree binary() {
  std::vector<double> counts(kClasses);
  std::iota(counts.begin(), counts.end(), 1.0);
  return huffman_tree(counts);
}

SmallData small_data(bool sparse) {
  testing::SmallDataOptions options;
  options.classes = kClasses;
  options.examples = 12;
  options.dimension = kDimension;
  options.sparse = sparse;
  SmallData data(options);
  data.set_weights({1, 2, 0.5F, 1, 0, 3, 1, 1, 1, 1, 1, 0.25F});
  return data;
}

std::vector<std::uint32_t> all_examples(const DatasetView& data) {
  std::vector<std::uint32_t> examples(data.size());
  std::iota(examples.begin(), examples.end(), 0U);
  return examples;
}

// -log of the probability of the label's path, edge by edge in double.
double plain_loss(const RandomModel& model, const std::vector<double>& weights, const RowView& row,
                  ClassId label) {
  const ClassTree& tree = model.tree;
  double loss = 0.0;
  for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
    const NodeId parent = tree.parent(node);
    const std::size_t stride = model.layout.shape(parent).stride;
    double sum = 0.0;
    double own = 0.0;
    for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
      const double* column = weights.data() + model.layout.offset(parent) + c;
      double score = column[kDimension * stride];
      for (std::uint32_t p = 0; p < row.count; ++p) {
        const std::size_t feature = row.indices == nullptr ? p : row.indices[p];
        score += static_cast<double>(row.values[p]) * column[feature * stride];
      }
      sum += std::exp(score);
      if (tree.first_child(parent) + c == node) own = score;
    }
    loss += std::log(sum) - own;
  }
  return loss;
}

double plain_total(const RandomModel& model, const std::vector<double>& weights,
                   const DatasetView& data) {
  double total = 0.0;
  std::vector<float> scratch(kDimension);
  for (std::size_t e = 0; e < data.size(); ++e) {
    total += static_cast<double>(data.weight(e)) *
             plain_loss(model, weights, data.row(e, scratch), data.label(e));
  }
  return total;
}

class PathSliceTest : public ::testing::TestWithParam<bool> {};

TEST_P(PathSliceTest, TheGradientIsThatOfTheExactLogLikelihood) {
  const SmallData data = small_data(GetParam());
  const DatasetView view = data.view();
  for (const ClassTree& tree : {three_children(), binary()}) {
    const RandomModel model(tree, kDimension, 0, false);
    PathStep slice(view, {}, {model.tree, model.layout, model.weights.data(), true}, 0.0F);
    const StepStats totals =
        slice.compute(all_examples(view), CounterRandom(1, RandomPurpose::kNoise));
    std::vector<double> weights(model.weights.begin(), model.weights.end());
    EXPECT_NEAR(totals.loss, plain_total(model, weights, view), 1e-4);
    EXPECT_EQ(totals.weight, 12.75);
    EXPECT_EQ(totals.covered, totals.examples);

    ASSERT_EQ(slice.gradients().size(), 1U);
    const std::vector<double> steps = testing::dense_steps(slice.gradients()[0], model.layout);
    constexpr double kShift = 1e-4;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double weight = weights[i];
      weights[i] = weight + kShift;
      const double above = plain_total(model, weights, view);
      weights[i] = weight - kShift;
      const double below = plain_total(model, weights, view);
      weights[i] = weight;
      ASSERT_NEAR(steps[i], (below - above) / (2.0 * kShift), 1e-4) << "weight " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DenseAndSparse, PathSliceTest, ::testing::Bool());

TEST(PathStep, TheProbabilitiesOfAllClassesSumToOne) {
  const SmallData data = small_data(false);
  std::vector<float> scratch(kDimension);
  const RowView row = data.view().row(0, scratch);
  for (const ClassTree& tree : {three_children(), binary()}) {
    const RandomModel model(tree, kDimension, 0, false);
    const std::vector<double> weights(model.weights.begin(), model.weights.end());
    double sum = 0.0;
    for (ClassId k = 0; k < kClasses; ++k) sum += std::exp(-plain_loss(model, weights, row, k));
    EXPECT_NEAR(sum, 1.0, 1e-9);
  }
}

TEST(PathStep, AClippedGradientHasTheLengthOfTheClip) {
  const SmallData data = small_data(false);
  const DatasetView view = data.view();
  const RandomModel model(three_children(), kDimension, 0, false);
  const PathScorer scorer(model.tree, model.layout, model.weights.data(), true);
  const CounterRandom random(1, RandomPurpose::kNoise);
  const std::vector<std::uint32_t> example = {5};
  const auto length = [&](float clip) {
    PathStep slice(view, {}, scorer, clip);
    slice.compute(example, random);
    const auto steps = testing::dense_steps(slice.gradients()[0], model.layout);
    return std::sqrt(std::inner_product(steps.begin(), steps.end(), steps.begin(), 0.0));
  };
  const double free = length(0.0F);
  ASSERT_GT(free, 0.02);
  EXPECT_NEAR(length(0.01F), 0.01, 1e-6);
  EXPECT_EQ(length(static_cast<float>(2.0 * free)), free);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "linear/gradient/class_gradients.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "support/random_model.h"

namespace cane {
namespace CANE_THIS_FILE {

// The tree of the paper's Figure 1: binary over eight classes.
ClassTree binary_tree() {
  return ClassTree({2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6, 7});
}

using EdgeSteps = std::map<NodeId, float>;  // by the node the edge leads to

EdgeSteps edges_of(const ClassTree& tree, const PathGradient& gradient, std::uint32_t example) {
  EdgeSteps edges;
  for (std::size_t part = 0; part < gradient.parts().size(); ++part) {
    if (gradient.parts()[part].example != example) continue;
    const NodeId node = gradient.parts()[part].node;
    for (std::uint32_t c = 0; c < tree.child_count(node); ++c) {
      if (gradient.steps(part)[c] != 0.0F)
        edges[tree.first_child(node) + c] = gradient.steps(part)[c];
    }
  }
  return edges;
}

TEST(PathGradient, SumsTheClassesBelowEachEdge) {
  const ClassTree tree = binary_tree();
  PathGradient gradient(tree, BlockLayout(tree, 3));
  // Candidates 0 and 1, noise 5, as in Figure 1 (which counts from 1); the label is 1.
  const std::vector<ClassId> classes = {0, 1, 5};
  const std::vector<float> scores = {0.5F, -0.75F, 0.25F};
  gradient.add(0, classes, scores, 2.0F);
  const EdgeSteps expected = {{1, 0.5F}, {2, -0.5F}, {3, 0.5F},  {7, -1.0F},
                              {8, 1.5F}, {5, -0.5F}, {12, -0.5F}};
  EXPECT_EQ(edges_of(tree, gradient, 0), expected);
}

TEST(PathGradient, LeavesOutEdgesThatLieOnEverySelectedPath) {
  const ClassTree tree = binary_tree();
  PathGradient gradient(tree, BlockLayout(tree, 3));
  // Classes 4 and 5 share the edges to nodes 2 and 5; rounding would leave 1e-9 there.
  gradient.add(0, std::vector<ClassId>{4, 5}, std::vector<float>{0.1F, -0.1F + 1e-8F}, 1.0F);
  ASSERT_EQ(gradient.parts().size(), 1U);
  EXPECT_EQ(gradient.parts()[0].node, 5U);
  // An edge that lies on all paths but one is kept.
  gradient.add(1, std::vector<ClassId>{4, 5, 0}, std::vector<float>{0.1F, 0.2F, -0.3F}, 1.0F);
  EXPECT_EQ(edges_of(tree, gradient, 1).size(), 2U + 4U + 1U - 0U);
}

TEST(PathGradient, AddsAClassThatStandsThereTwice) {
  const ClassTree tree = binary_tree();
  PathGradient gradient(tree, BlockLayout(tree, 3));
  gradient.add(0, std::vector<ClassId>{0, 7, 7}, std::vector<float>{-1.0F, 0.5F, 0.5F}, 1.0F);
  const EdgeSteps edges = edges_of(tree, gradient, 0);
  EXPECT_EQ(edges.at(14), -1.0F);
  EXPECT_EQ(edges.at(7), 1.0F);
}

TEST(PathGradient, AgreesWithFiniteDifferencesInTheWeights) {
  testing::RandomModel model(binary_tree(), 4, 1, false);
  const std::vector<ClassId> classes = {2, 3, 6};
  const std::vector<float> direction = {0.3F, -0.8F, 0.5F};  // the loss is direction . scores
  PathGradient gradient(model.tree, model.layout);
  gradient.add(0, classes, direction, 1.0F);
  const auto loss = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      sum += static_cast<double>(direction[i]) * model.plain_score(model.rows[0], classes[i]);
    }
    return sum;
  };
  const EdgeSteps edges = edges_of(model.tree, gradient, 0);
  for (NodeId child = 1; child < model.tree.node_count(); ++child) {
    const NodeId node = model.tree.parent(child);
    for (std::size_t feature = 0; feature <= 4; ++feature) {
      float& weight =
          model.weights[model.layout.offset(node) + feature * model.layout.shape(node).stride +
                        (child - model.tree.first_child(node))];
      const float before = weight;
      weight = before + 0.5F;
      const double up = loss();
      weight = before - 0.5F;
      const double down = loss();
      weight = before;
      const float value = feature == 4 ? 1.0F : model.rows[0].values[feature];
      const float step = edges.contains(child) ? edges.at(child) : 0.0F;
      EXPECT_NEAR(-step * value, up - down, 1e-5) << "edge to " << child;
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "linear/scorers/path_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimension = 3;

std::vector<float> random_values(std::size_t count) {
  const CounterRandom random(1, RandomPurpose::kTree, 0);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random.uniform(i, 0) - 0.5));
  }
  return values;
}

TEST(PathSums, AddUpTheEdgesOfEachPath) {
  // Classes 0 1 | 2 below two inner nodes; edges named by their nodes.
  const ClassTree tree({2, 2, 2, 0, 0, 0, 0}, {0, 1, 2, 3});
  const BlockLayout layout(tree, 1);
  std::vector<float> weights(layout.size(), 0.0F);
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    const NodeId parent = tree.parent(node);
    const std::size_t at = layout.offset(parent) + (node - tree.first_child(parent));
    weights[at] = static_cast<float>(node);
    weights[at + layout.shape(parent).stride] = static_cast<float>(100 * node);
  }
  const std::vector<float> expected = {1 + 3, 400, 1 + 4, 500, 2 + 5, 700, 2 + 6, 800};
  EXPECT_EQ(path_sums(tree, layout, weights.data()), expected);
}

TEST(PathSums, StayWhatTheyAreInAnotherTree) {
  std::vector<ClassId> order;
  for (ClassId k = 0; k < 23; ++k) order.push_back(k * 7 % 23);
  for (const std::uint32_t arity : {2U, 5U, 23U}) {
    const ClassTree tree = balanced_tree(order, arity);
    const BlockLayout layout(tree, kDimension);
    const std::vector<float> sums = random_values(23 * (kDimension + 1));
    std::vector<float> weights(layout.size(), 0.0F);
    set_path_sums(sums, tree, layout, weights.data());
    const std::vector<float> again = path_sums(tree, layout, weights.data());
    ASSERT_EQ(again.size(), sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(again[i], sums[i], 1e-6) << i;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

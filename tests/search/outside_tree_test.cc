#include "search/outside_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"
#include "core/tree/huffman_tree.h"

namespace cane {
namespace CANE_THIS_FILE {

// The probability of every edge, given the node it leaves.
struct EdgeLaw {
  explicit EdgeLaw(const ClassTree& class_tree, std::uint64_t seed = 1)
      : tree(class_tree), edges(tree.node_count(), 1.0F) {
    const CounterRandom random(seed, RandomPurpose::kSynthetic);
    for (NodeId node = 0; node < tree.node_count(); ++node) {
      double sum = 0.0;
      for (std::uint32_t c = 0; c < tree.child_count(node); ++c) {
        const NodeId child = tree.first_child(node) + c;
        edges[child] = static_cast<float>(std::exp(2.0 * random.normal(child, 0)));
        sum += static_cast<double>(edges[child]);
      }
      for (std::uint32_t c = 0; c < tree.child_count(node); ++c) {
        float& edge = edges[tree.first_child(node) + c];
        edge = static_cast<float>(static_cast<double>(edge) / sum);
      }
    }
  }

  void operator()(std::uint32_t depth, NodeId node, float* children) const {
    std::uint32_t above = 0;
    for (NodeId up = node; up != 0; up = tree.parent(up)) ++above;
    EXPECT_EQ(depth, above);
    for (std::uint32_t c = 0; c < tree.child_count(node); ++c) {
      children[c] = edges[tree.first_child(node) + c];
    }
  }

  double leaf(ClassId label) const {
    double probability = 1.0;
    for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
      probability *= static_cast<double>(edges[node]);
    }
    return probability;
  }

  ClassTree tree;
  std::vector<float> edges;
};

// The law that walking down what is left gives a leaf.
double walked(const OutsideTree& outside, const EdgeLaw& law, ClassId label) {
  const ClassTree& tree = law.tree;
  double probability = 1.0;
  for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) {
    double mass = 0.0;
    const float* left = outside.left(tree.parent(node), mass);
    if (left == nullptr) {
      probability *= static_cast<double>(law.edges[node]);
      continue;
    }
    const auto own = static_cast<double>(left[node - tree.first_child(tree.parent(node))]);
    if (own == 0.0) return 0.0;
    probability *= own / mass;
  }
  return probability;
}

void expect_law(const EdgeLaw& law, const std::vector<ClassId>& excluded) {
  OutsideTree outside;
  outside.prepare(law.tree, law.tree.arity(), excluded, law);
  double total = 0.0;
  for (ClassId k = 0; k < law.tree.class_count(); ++k) {
    if (!std::ranges::binary_search(excluded, k)) total += law.leaf(k);
  }
  ASSERT_GT(total, 0.0);
  EXPECT_NEAR(outside.mass() / total, 1.0, 1e-5);
  for (ClassId k = 0; k < law.tree.class_count(); ++k) {
    if (std::ranges::binary_search(excluded, k)) {
      EXPECT_EQ(walked(outside, law, k), 0.0);
    } else {
      EXPECT_NEAR(walked(outside, law, k) / (law.leaf(k) / total), 1.0, 1e-5) << k;
    }
  }
}

std::vector<ClassTree> trees() {
  return {balanced_tree(random_order(2, 1), 2), balanced_tree(random_order(8, 1), 2),
          balanced_tree(random_order(9, 1), 3), balanced_tree(random_order(9, 1), 9),
          huffman_tree(std::vector<double>{100, 50, 1, 25, 2, 12, 4, 6})};
}

TEST(OutsideTree, IsTheLawOfEnumerationForEveryExcludedSet) {
  for (const ClassTree& tree : trees()) {
    const EdgeLaw law(tree);
    const std::uint32_t classes = tree.class_count();
    for (std::uint32_t set = 0; set + 1 < (1U << classes); ++set) {
      std::vector<ClassId> excluded;
      for (ClassId k = 0; k < classes; ++k) {
        if ((set >> k & 1U) != 0) excluded.push_back(k);
      }
      expect_law(law, excluded);
    }
  }
}

TEST(OutsideTree, HasNoMassWhereAllIsExcludedAndAllWhereNothingIs) {
  for (const ClassTree& tree : trees()) {
    const EdgeLaw law(tree);
    OutsideTree outside;
    outside.prepare(tree, tree.arity(), class_order(tree.class_count()), law);
    EXPECT_EQ(outside.mass(), 0.0);
    outside.prepare(tree, tree.arity(), {}, law);
    EXPECT_EQ(outside.mass(), 1.0);
    double mass = 0.0;
    EXPECT_EQ(outside.left(0, mass), nullptr);
  }
}

// One part in 10^20 is left: one minus the excluded would have no correct digit.
TEST(OutsideTree, IsExactWhereNearlyAllMassIsExcluded) {
  for (const ClassTree& tree : trees()) {
    if (tree.class_count() < 8) continue;
    for (const ClassId heavy : {0U, 5U}) {
      EdgeLaw law(tree);
      for (NodeId node = tree.leaf_of(heavy); node != 0; node = tree.parent(node)) {
        const NodeId parent = tree.parent(node);
        for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
          law.edges[tree.first_child(parent) + c] *= 1e-20F;
        }
        law.edges[node] = 1.0F;
      }
      expect_law(law, {heavy});
      expect_law(law, {heavy, heavy + 1});
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

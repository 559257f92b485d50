#include "theory/shared_edges.h"

#include <gtest/gtest.h>

#include "core/tree/balanced_tree.h"
#include "core/tree/class_tree.h"
#include "theory/edge_examples.h"

namespace cane::theory {
namespace CANE_THIS_FILE {

SharedEdgesOptions small_trees() {
  SharedEdgesOptions options;
  options.classes = 200;
  options.examples = 100;
  return options;
}

TEST(SharedEdges, AnEdgeOnEverySelectedPathHasNoGradient) {
  const auto rows = check_shared_edges(small_trees());
  EXPECT_EQ(rows.size(), 12U);
  for (const SharedEdgesRow& row : rows) {
    EXPECT_GT(row.shared, 0U) << row.arity << ' ' << row.candidates << ' ' << row.noises;
    EXPECT_LT(row.shared, row.edges);
    EXPECT_GT(row.largest_gradient, 0.5);
    EXPECT_LT(row.largest_shared_gradient, 1e-5 * row.largest_gradient)
        << row.arity << ' ' << row.candidates << ' ' << row.noises;
  }
}

TEST(SharedEdges, MoreNoisesShareFewerEdges) {
  for (const std::uint32_t arity : {2U, 10U}) {
    SharedEdgesOptions options = small_trees();
    options.arities = {arity};
    options.candidates = {2};
    options.noises = {1, 8};
    const auto rows = check_shared_edges(options);
    EXPECT_LT(rows[1].shared, rows[0].shared);
    EXPECT_GT(rows[1].edges, rows[0].edges);
  }
}

TEST(SharedEdges, CandidatesAreTheBestClassesAndNoisesAreOthers) {
  const ClassTree tree = balanced_tree(random_order(50, 1), 3);
  const EdgeExamples examples(tree, 1);
  bool label_was_candidate = false;
  bool label_was_noise = false;
  for (std::uint64_t example = 0; example < 20; ++example) {
    const SelectedPaths selected = examples.select(example, 4, 3);
    (selected.label_at < 4 ? label_was_candidate : label_was_noise) = true;
    EXPECT_EQ(selected.classes.size(), selected.label_at < 4 ? 7U : 5U);
    EXPECT_EQ(selected.log_q.size(), selected.classes.size() - 4);
    for (std::size_t i = 1; i < selected.classes.size(); ++i) {
      const std::size_t before = i < 4 ? i - 1 : 3;
      EXPECT_LT(selected.scores[i], selected.scores[before]);
    }
  }
  EXPECT_TRUE(label_was_candidate);
  EXPECT_TRUE(label_was_noise);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::theory

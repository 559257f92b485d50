#include "search/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "support/random_model.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::RandomModel;

std::vector<ClassId> class_order(std::uint32_t classes) {
  std::vector<ClassId> order(classes);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

// A tree whose class order is not its leaf order.
ClassTree mixed_tree(std::uint32_t classes, std::uint32_t arity) {
  std::vector<ClassId> order = class_order(classes);
  std::rotate(order.begin(), order.begin() + classes / 3, order.end());
  std::reverse(order.begin(), order.begin() + classes / 2);
  return balanced_tree(order, arity);
}

struct Found {
  explicit Found(const RandomModel& model) : beam(model.scorer()) {}
  BeamSearch beam;
  Selection selection;
};

Found search(const RandomModel& model, std::span<const RowView> rows, std::uint32_t width) {
  Found found(model);
  found.beam.search(rows, width, width, found.selection);
  return found;
}

TEST(BeamSearch, AsWideAsTheNumberOfClassesItEqualsExhaustiveSearch) {
  for (const std::uint32_t classes : {2U, 3U, 7U, 16U, 50U, 129U}) {
    for (const std::uint32_t arity : {2U, 3U, 10U, 16U}) {
      for (const bool sparse : {false, true}) {
        const RandomModel model(mixed_tree(classes, arity), 13, 5, sparse);
        const Found found = search(model, model.rows, classes);
        for (std::uint32_t e = 0; e < model.rows.size(); ++e) {
          const auto candidates = found.selection.of(e);
          ASSERT_EQ(candidates.size(), classes);
          std::vector<bool> seen(classes, false);
          for (std::size_t i = 0; i < classes; ++i) {
            ASSERT_FALSE(seen[candidates[i].class_id]);
            seen[candidates[i].class_id] = true;
            ASSERT_NEAR(candidates[i].score,
                        model.plain_score(model.rows[e], candidates[i].class_id), 1e-3);
            if (i > 0) {
              ASSERT_GE(candidates[i - 1].score, candidates[i].score);
            }
          }
        }
      }
    }
  }
}

TEST(BeamSearch, CountsTheRowsItScored) {
  const RandomModel model(mixed_tree(1000, 10), 4, 6, false);
  EXPECT_EQ(search(model, model.rows, 1).selection.rows_scored, 6 * (10 + 10 + 10));
  EXPECT_EQ(search(model, model.rows, 9).selection.rows_scored, 6 * (10 + 90 + 90));
  EXPECT_EQ(search(model, model.rows, 1000).selection.rows_scored, 6 * (10 + 100 + 1000));
}

TEST(BeamSearch, FindsTheSameForAnExampleWhateverElseIsInTheBatch) {
  const RandomModel model(mixed_tree(200, 16), 20, 9, false);
  const Found together = search(model, model.rows, 7);
  for (std::uint32_t e = 0; e < model.rows.size(); ++e) {
    const Found alone = search(model, std::span(model.rows).subspan(e, 1), 7);
    const auto expected = together.selection.of(e);
    const auto candidates = alone.selection.of(0);
    ASSERT_EQ(candidates.size(), expected.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_EQ(candidates[i].class_id, expected[i].class_id);
      EXPECT_EQ(candidates[i].score, expected[i].score);
    }
  }
}

TEST(BeamSearch, KeepsTheLowerClassOnTies) {
  for (const std::uint32_t width : {1U, 4U, 40U}) {
    RandomModel model(mixed_tree(100, 4), 5, 2, false);
    std::fill(model.weights.begin(), model.weights.end(), 0.0F);
    const Found found = search(model, model.rows, width);
    for (std::uint32_t e = 0; e < model.rows.size(); ++e) {
      const auto candidates = found.selection.of(e);
      ASSERT_EQ(candidates.size(), width);
      EXPECT_EQ(candidates[0].class_id, 0U);
      for (std::size_t i = 1; i < candidates.size(); ++i) {
        EXPECT_LT(candidates[i - 1].class_id, candidates[i].class_id);
      }
    }
  }
}

TEST(BeamSearch, KeepsTheBestOfTheBeamWhenFewerAreWanted) {
  const RandomModel model(mixed_tree(300, 7), 9, 6, false);
  const Found all = search(model, model.rows, 12);
  Found few(model);
  few.beam.search(model.rows, 12, 2, few.selection);
  for (std::uint32_t e = 0; e < model.rows.size(); ++e) {
    ASSERT_EQ(few.selection.of(e).size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(few.selection.of(e)[i].class_id, all.selection.of(e)[i].class_id);
    }
  }
}

TEST(BeamSearch, FollowsTheBestChildrenLevelByLevel) {
  const RandomModel model(mixed_tree(64, 4), 8, 3, false);
  const Found found = search(model, model.rows, 1);
  for (std::uint32_t e = 0; e < model.rows.size(); ++e) {
    NodeId node = 0;
    while (!model.tree.is_leaf(node)) {
      NodeId best = model.tree.first_child(node);
      double best_score = -1e30;
      for (std::uint32_t c = 0; c < model.tree.child_count(node); ++c) {
        const NodeId child = model.tree.first_child(node) + c;
        NodeId below = child;
        while (!model.tree.is_leaf(below)) below = model.tree.first_child(below);
        // The score down to `child` is that of any class below it less the rest of the path.
        double score = model.plain_score(model.rows[e], model.tree.leaf_class(below));
        for (NodeId rest = below; rest != child; rest = model.tree.parent(rest)) {
          const NodeId parent = model.tree.parent(rest);
          const float* edge = model.weights.data() + model.layout.offset(parent) +
                              (rest - model.tree.first_child(parent));
          const std::size_t stride = model.layout.shape(parent).stride;
          score -= static_cast<double>(edge[8 * stride]);
          for (std::uint32_t p = 0; p < 8; ++p) {
            score -= static_cast<double>(model.rows[e].values[p]) *
                     static_cast<double>(edge[p * stride]);
          }
        }
        if (score > best_score) {
          best_score = score;
          best = child;
        }
      }
      node = best;
    }
    EXPECT_EQ(found.selection.of(e)[0].class_id, model.tree.leaf_class(node));
  }
}

TEST(BeamSearch, ScoresMoreClassesToTheSameBitsAsIfItHadVisitedThem) {
  const RandomModel model(mixed_tree(150, 5), 11, 4, true);
  const Found exhaustive = search(model, model.rows, 150);
  std::vector<std::vector<float>> expected(4, std::vector<float>(150));
  for (std::uint32_t e = 0; e < 4; ++e) {
    for (const Candidate& candidate : exhaustive.selection.of(e)) {
      expected[e][candidate.class_id] = candidate.score;
    }
  }
  Found narrow = search(model, model.rows, 3);
  ClassLists lists;
  for (std::uint32_t e = 0; e < 4; ++e) {
    for (ClassId label = 0; label < 150; label += 7) lists.classes.push_back(label);
    lists.end_list();
  }
  std::vector<float> scores(lists.classes.size());
  narrow.beam.score_classes(model.rows, lists, scores.data());
  for (std::uint32_t e = 0; e < 4; ++e) {
    for (std::uint32_t i = lists.starts[e]; i < lists.starts[e + 1]; ++i) {
      EXPECT_EQ(scores[i], expected[e][lists.classes[i]]);
    }
  }
}

TEST(BeamSearch, PutsLeavesOfDifferentDepthInOneOrder) {
  // Root -> class 2, inner -> classes 0, 1.
  const RandomModel model(ClassTree({2, 0, 2, 0, 0}, {2, 0, 1}), 6, 8, false);
  const Found found = search(model, model.rows, 3);
  for (std::uint32_t e = 0; e < 8; ++e) {
    const auto candidates = found.selection.of(e);
    ASSERT_EQ(candidates.size(), 3U);
    EXPECT_GE(candidates[0].score, candidates[1].score);
    EXPECT_GE(candidates[1].score, candidates[2].score);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

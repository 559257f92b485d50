#include "search/exact_selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "linear/scorers/tree_scorer.h"
#include "support/flat_table.h"
#include "support/random_model.h"
#include "support/select_classes.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomModel;
using testing::RandomRows;
using testing::select_classes;

// Scores of the plain reference that are this close may stand in either order.
constexpr double kRounding = 1e-4;

template <typename Plain>
void expect_the_best(std::span<const Candidate> found, std::uint32_t classes, std::uint32_t keep,
                     const Plain& plain) {
  std::vector<double> scores;
  for (ClassId k = 0; k < classes; ++k) scores.push_back(plain(k));
  std::sort(scores.rbegin(), scores.rend());
  ASSERT_EQ(found.size(), std::min(keep, classes));
  std::vector<bool> seen(classes, false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_FALSE(seen[found[i].class_id]);
    seen[found[i].class_id] = true;
    EXPECT_NEAR(found[i].score, plain(found[i].class_id), kRounding);
    EXPECT_NEAR(found[i].score, scores[i], kRounding) << "place " << i;
  }
}

TEST(ExactSelector, FindsTheBestOfAllClassesOfAFlatTable) {
  for (const std::uint32_t width : {1U, 16U}) {
    for (const bool sparse : {false, true}) {
      const FlatTable table(150, width, 11);
      const RandomRows examples(11, 6, sparse);
      const FlatScorer scorer = table.scorer();
      for (const std::uint32_t keep : {1U, 9U, 100U, 150U, 400U}) {
        const Selection selection =
            select_classes(ExactSelector(scorer), examples.rows, keep, keep);
        ASSERT_EQ(selection.offsets.size(), examples.rows.size() + 1);
        EXPECT_EQ(selection.rows_scored, 6U * 150U);
        for (std::size_t e = 0; e < examples.rows.size(); ++e) {
          expect_the_best(selection.of(e), 150, keep,
                          [&](ClassId k) { return table.plain_score(examples.rows[e], k); });
        }
      }
    }
  }
}

TEST(ExactSelector, FindsTheBestOfAllPathsOfATree) {
  const RandomModel model(balanced_tree(random_order(90, 5), 5), 7, 6, false);
  const TreeScorer scorer(model.scorer());
  const Selection selection = select_classes(ExactSelector(scorer), model.rows, 9, 9);
  for (std::size_t e = 0; e < model.rows.size(); ++e) {
    expect_the_best(selection.of(e), 90, 9,
                    [&](ClassId k) { return model.plain_score(model.rows[e], k); });
  }
}

TEST(ExactSelector, GivesTheLowerClassOnATieAndWhatIsNoNumberLast) {
  FlatTable table(80, 1, 4);
  std::fill(table.weights.begin(), table.weights.end(), 0.0F);
  table.at(7, 4) = 2.0F;
  table.at(0, 4) = NAN;
  const RandomRows examples(4, 2, false);
  const FlatScorer scorer = table.scorer();
  for (const std::uint32_t keep : {4U, 80U}) {
    const Selection selection = select_classes(ExactSelector(scorer), examples.rows, keep, keep);
    for (std::size_t e = 0; e < 2; ++e) {
      const auto found = selection.of(e);
      ASSERT_EQ(found.size(), keep);
      EXPECT_EQ(found[0].class_id, 7U);
      EXPECT_EQ(found[1].class_id, 1U);
      EXPECT_EQ(found[2].class_id, 2U);
      EXPECT_EQ(found[3].class_id, 3U);
      if (keep == 80) {
        EXPECT_EQ(found.back().class_id, 0U);
      }
    }
  }
}

// More examples than all scores are held of at once.
TEST(ExactSelector, WhatItFindsDoesNotDependOnTheRestOfTheBatch) {
  const FlatTable table(3000, 16, 3);
  const RandomRows examples(3, 100, false);
  const FlatScorer scorer = table.scorer();
  const Selection together = select_classes(ExactSelector(scorer), examples.rows, 5, 5);
  ASSERT_EQ(together.offsets.size(), 101U);
  for (const std::size_t e : {0U, 1U, 84U, 85U, 99U}) {
    const Selection alone =
        select_classes(ExactSelector(scorer), std::span(&examples.rows[e], 1), 5, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(together.of(e)[i].class_id, alone.of(0)[i].class_id);
      EXPECT_EQ(together.of(e)[i].score, alone.of(0)[i].score);
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

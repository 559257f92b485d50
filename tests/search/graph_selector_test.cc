#include "search/graph_selector.h"

#include <gtest/gtest.h>

#include "search/exact_selector.h"
#include "support/flat_table.h"
#include "support/select_classes.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomRows;
using testing::select_classes;

constexpr std::uint32_t kClasses = 120;
constexpr FeatureId kDimension = 10;

void expect_same(const Selection& found, const Selection& expected) {
  ASSERT_EQ(found.offsets, expected.offsets);
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    EXPECT_EQ(found.candidates[i].class_id, expected.candidates[i].class_id);
    EXPECT_NEAR(found.candidates[i].score, expected.candidates[i].score, 1e-4);
  }
}

TEST(GraphSelector, IsExactFromAWidthOfAllClassesOn) {
  for (const std::uint32_t table_width : {1U, 16U}) {
    for (const bool sparse : {false, true}) {
      const FlatTable table(kClasses, table_width, kDimension);
      const RandomRows examples(kDimension, 8, sparse);
      const FlatScorer scorer = table.scorer();
      GraphSelector selector(scorer);
      selector.refresh(nullptr);
      const ExactSelector exact(scorer);
      for (const std::uint32_t width : {kClasses, 2 * kClasses}) {
        for (const std::uint32_t keep : {1U, 9U, kClasses}) {
          expect_same(select_classes(selector, examples.rows, width, keep),
                      select_classes(exact, examples.rows, width, keep));
        }
      }
    }
  }
}

TEST(GraphSelector, FindsMostOfTheBestInANarrowSearch) {
  const FlatTable table(kClasses, 1, kDimension);
  const RandomRows examples(kDimension, 40, false);
  const FlatScorer scorer = table.scorer();
  GraphSelector selector(scorer);
  selector.refresh(nullptr);
  const Selection found = select_classes(selector, examples.rows, 40, 5);
  const Selection exact = select_classes(ExactSelector(scorer), examples.rows, 5, 5);
  EXPECT_LT(found.rows_scored, 40U * kClasses / 2);
  std::size_t hits = 0;
  for (std::size_t e = 0; e < examples.rows.size(); ++e) {
    ASSERT_EQ(found.of(e).size(), 5U);
    for (const Candidate& best : exact.of(e)) {
      for (const Candidate& candidate : found.of(e))
        hits += candidate.class_id == best.class_id ? 1 : 0;
    }
  }
  EXPECT_GT(hits, 190U);  // of 200
}

TEST(GraphSelector, ScoresWithCurrentWeightsAndSearchesThemOnceRefreshed) {
  FlatTable table(kClasses, 1, kDimension);
  const RandomRows examples(kDimension, 4, false);
  const FlatScorer scorer = table.scorer();
  GraphSelector selector(scorer);
  EXPECT_TRUE(selector.needs_refresh());
  selector.refresh(nullptr);
  // A class that was never near the top now has it, and all others change their scores.
  ClassId worst = kUnknownClass;
  const Selection before = select_classes(selector, examples.rows, 10, 10);
  for (ClassId k = 0; k < kClasses && worst == kUnknownClass; ++k) {
    worst = k;
    for (const Candidate& candidate : before.candidates) {
      if (candidate.class_id == k) worst = kUnknownClass;
    }
  }
  for (ClassId k = 0; k < kClasses; ++k) table.at(k, kDimension) += 5.0F;
  table.at(worst, kDimension) += 1000.0F;
  const Selection stale = select_classes(selector, examples.rows, 10, 10);
  for (std::size_t i = 0; i < stale.candidates.size(); ++i) {
    EXPECT_EQ(stale.candidates[i].class_id, before.candidates[i].class_id);
    EXPECT_NEAR(stale.candidates[i].score, before.candidates[i].score + 5.0F, 1e-4);
  }
  selector.refresh(nullptr);
  const Selection fresh = select_classes(selector, examples.rows, 10, 10);
  for (std::size_t e = 0; e < examples.rows.size(); ++e) {
    EXPECT_EQ(fresh.of(e)[0].class_id, worst);
    EXPECT_NEAR(fresh.of(e)[0].score, table.plain_score(examples.rows[e], worst), 1e-3);
  }
}

TEST(GraphSelector, WhatItFindsDoesNotDependOnTheRestOfTheBatch) {
  const FlatTable table(kClasses, 16, kDimension);
  const RandomRows examples(kDimension, 6, true);
  const FlatScorer scorer = table.scorer();
  GraphSelector selector(scorer);
  selector.refresh(nullptr);
  const Selection together = select_classes(selector, examples.rows, 12, 4);
  for (std::size_t e = 0; e < examples.rows.size(); ++e) {
    const Selection alone = select_classes(selector, std::span(&examples.rows[e], 1), 12, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(alone.of(0)[i].class_id, together.of(e)[i].class_id);
      EXPECT_EQ(alone.of(0)[i].score, together.of(e)[i].score);
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "linear/scorers/flat_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "support/flat_table.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomRows;

constexpr FeatureId kDimension = 19;

// Rows, panels, and the wide panels of a narrow proposal.
template <typename Body>
void for_each_table(const Body& body) {
  for (const std::uint32_t width : {1U, 16U, 64U}) {
    for (const std::uint32_t classes : {2U, 15U, 16U, 64U, 101U}) {
      for (const bool sparse : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "width " << width << ", classes " << classes
                                          << (sparse ? ", sparse" : ", dense"));
        body(FlatTable(classes, width, kDimension), RandomRows(kDimension, 5, sparse));
      }
    }
  }
}

TEST(FlatScorer, ScoresGivenClassesLikeThePlainReference) {
  for_each_table([](const FlatTable& table, const RandomRows& examples) {
    ClassLists lists;
    for (std::uint32_t e = 0; e < examples.rows.size(); ++e) {
      // Not in order, one of them twice; and no class at all for an example.
      for (std::uint32_t i = 0; e != 2 && i < 9; ++i) {
        lists.classes.push_back((e + 7 * (i % 8)) % table.classes);
      }
      lists.end_list();
    }
    std::vector<float> scores(lists.classes.size());
    ScoringScratch scratch;
    EXPECT_EQ(table.scorer().score(examples.rows, lists, scratch, scores.data()), scores.size());
    for (std::uint32_t e = 0; e < lists.size(); ++e) {
      for (std::uint32_t i = lists.starts[e]; i < lists.starts[e + 1]; ++i) {
        EXPECT_NEAR(scores[i], table.plain_score(examples.rows[e], lists.classes[i]), 1e-4);
      }
    }
  });
}

TEST(FlatScorer, ScoresAllClassesLikeThePlainReference) {
  for_each_table([](const FlatTable& table, const RandomRows& examples) {
    const FlatScorer scorer = table.scorer();
    const std::size_t pitch = scorer.all_pitch() + 64;
    std::vector<float> scores(examples.rows.size() * pitch, NAN);
    ScoringScratch scratch;
    scorer.score_all(examples.rows, scratch, pitch, scores.data());
    for (std::size_t e = 0; e < examples.rows.size(); ++e) {
      for (ClassId k = 0; k < table.classes; ++k) {
        EXPECT_NEAR(scores[e * pitch + k], table.plain_score(examples.rows[e], k), 1e-4);
      }
      for (std::size_t k = table.classes; k < pitch; ++k) {
        EXPECT_EQ(scores[e * pitch + k], -INFINITY);
      }
    }
  });
}

TEST(FlatScorer, WhatItSaysOfAnExampleDoesNotDependOnTheBatch) {
  for_each_table([](const FlatTable& table, const RandomRows& examples) {
    const FlatScorer scorer = table.scorer();
    std::vector<float> together(examples.rows.size() * scorer.all_pitch());
    std::vector<float> alone(scorer.all_pitch());
    ScoringScratch scratch;
    scorer.score_all(examples.rows, scratch, scorer.all_pitch(), together.data());
    for (std::size_t e = 0; e < examples.rows.size(); ++e) {
      scorer.score_all(std::span(&examples.rows[e], 1), scratch, scorer.all_pitch(), alone.data());
      for (ClassId k = 0; k < table.classes; ++k) {
        EXPECT_NEAR(alone[k], together[e * scorer.all_pitch() + k], 1e-5);
      }
    }
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

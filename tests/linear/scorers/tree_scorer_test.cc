#include "linear/scorers/tree_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "core/tree/huffman_tree.h"
#include "support/random_model.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::RandomModel;

constexpr FeatureId kDimension = 13;

// Classes not in the order of the leaves; and leaves at many depths.
std::vector<ClassTree> trees() {
  std::vector<double> counts;
  for (int k = 0; k < 21; ++k) counts.push_back(std::pow(1.5, (7 * k) % 21));
  return {balanced_tree(random_order(2, 3), 2), balanced_tree(random_order(37, 3), 4),
          balanced_tree(random_order(37, 3), 40), huffman_tree(counts)};
}

template <typename Body>
void for_each_model(const Body& body) {
  for (const ClassTree& tree : trees()) {
    for (const bool sparse : {false, true}) {
      for (const bool normalized : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "classes " << tree.class_count() << ", depth " << tree.depth()
                     << (sparse ? ", sparse" : ", dense") << (normalized ? ", normalized" : ""));
        const RandomModel model(tree, kDimension, 4, sparse);
        body(model, TreeScorer(model.scorer(normalized)));
      }
    }
  }
}

double plain(const RandomModel& model, const TreeScorer& scorer, std::size_t e, ClassId label) {
  return scorer.is_normalized() ? model.plain_log_probability(model.rows[e], label)
                                : model.plain_score(model.rows[e], label);
}

TEST(TreeScorer, ScoresGivenClassesLikeThePlainReference) {
  for_each_model([](const RandomModel& model, const TreeScorer& scorer) {
    ClassLists lists;
    for (std::uint32_t e = 0; e < model.rows.size(); ++e) {
      for (std::uint32_t i = 0; e != 1 && i < 7; ++i) {
        lists.classes.push_back((e + 5 * (i % 6)) % scorer.classes());
      }
      lists.end_list();
    }
    std::vector<float> scores(lists.classes.size());
    ScoringScratch scratch;
    scorer.score(model.rows, lists, scratch, scores.data());
    for (std::uint32_t e = 0; e < lists.size(); ++e) {
      for (std::uint32_t i = lists.starts[e]; i < lists.starts[e + 1]; ++i) {
        EXPECT_NEAR(scores[i], plain(model, scorer, e, lists.classes[i]), 1e-4);
      }
    }
  });
}

TEST(TreeScorer, ScoresAllClassesLikeThePlainReference) {
  for_each_model([](const RandomModel& model, const TreeScorer& scorer) {
    const std::size_t pitch = scorer.all_pitch();
    std::vector<float> scores(model.rows.size() * pitch, NAN);
    ScoringScratch scratch;
    scorer.score_all(model.rows, scratch, pitch, scores.data());
    for (std::size_t e = 0; e < model.rows.size(); ++e) {
      double sum = 0.0;
      for (ClassId k = 0; k < scorer.classes(); ++k) {
        EXPECT_NEAR(scores[e * pitch + k], plain(model, scorer, e, k), 1e-4);
        sum += std::exp(static_cast<double>(scores[e * pitch + k]));
      }
      for (std::size_t k = scorer.classes(); k < pitch; ++k) {
        EXPECT_EQ(scores[e * pitch + k], -INFINITY);
      }
      if (scorer.is_normalized()) {
        EXPECT_NEAR(sum, 1.0, 1e-5);
      }
    }
  });
}

TEST(TreeScorer, StaysNormalizedWhereScoresAreLarge) {
  RandomModel model(balanced_tree(random_order(37, 3), 4), kDimension, 3, false);
  for (float& weight : model.weights) weight *= 200.0F;
  const TreeScorer scorer(model.scorer(true));
  std::vector<float> scores(model.rows.size() * scorer.all_pitch());
  ScoringScratch scratch;
  scorer.score_all(model.rows, scratch, scorer.all_pitch(), scores.data());
  for (std::size_t e = 0; e < model.rows.size(); ++e) {
    double sum = 0.0;
    for (ClassId k = 0; k < scorer.classes(); ++k) {
      sum += std::exp(static_cast<double>(scores[e * scorer.all_pitch() + k]));
    }
    EXPECT_NEAR(sum, 1.0, 1e-3);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "train/start/nearest_centres.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"
#include "core/tree/huffman_tree.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/scorers/tree_scorer.h"
#include "linear/weights/parameter_table.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 23;
constexpr FeatureId kDimension = 7;

// Centres with every second feature left out of every third one.
struct Centres {
  Centres() {
    const CounterRandom random(5, RandomPurpose::kSynthetic);
    for (FeatureId i = 0; i < kDimension; i += 2) indices.push_back(i);
    values.resize(kClasses * kDimension);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(random.normal(i, 0));
    }
    for (ClassId k = 0; k < kClasses; ++k) {
      const float* row = values.data() + k * kDimension;
      rows.push_back(k % 3 == 0
                         ? RowView{indices.data(), row, static_cast<std::uint32_t>(indices.size())}
                         : RowView{nullptr, row, kDimension});
    }
  }
  std::vector<double> dense(ClassId label) const {
    std::vector<double> centre(kDimension, 0.0);
    const RowView& row = rows[label];
    for (std::uint32_t p = 0; p < row.count; ++p) {
      centre[row.indices == nullptr ? p : row.indices[p]] = static_cast<double>(row.values[p]);
    }
    return centre;
  }

  std::vector<FeatureId> indices;
  std::vector<float> values;
  std::vector<RowView> rows;
};

// x . mu - |mu|^2 / 2
double centre_score(const std::vector<float>& x, const std::vector<double>& mean) {
  double score = 0.0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    score += static_cast<double>(x[i]) * mean[i] - 0.5 * mean[i] * mean[i];
  }
  return score;
}

const std::vector<float> kExample = {0.5F, -1.25F, 2.0F, 0.25F, -0.75F, 1.5F, -0.1F};

std::vector<float> all_scores(const ClassScorer& scorer) {
  const RowView row = {nullptr, kExample.data(), kDimension};
  std::vector<float> scores(scorer.all_pitch());
  ScoringScratch scratch;
  scorer.score_all(std::span(&row, 1), scratch, scores.size(), scores.data());
  scores.resize(kClasses);
  return scores;
}

TEST(MeanTables, FlatRowsScoreTheNearestCentre) {
  const Centres centres;
  for (const std::uint32_t width : {kRowWidth, kPanelWidth}) {
    const BlockLayout layout = BlockLayout::flat(kClasses, width, kDimension);
    std::vector<float> weights(layout.size(), 0.0F);
    set_flat_means(centres.rows, layout, weights.data());
    const auto scores = all_scores(FlatScorer(kClasses, layout, weights.data()));
    for (ClassId k = 0; k < kClasses; ++k) {
      EXPECT_NEAR(scores[k], centre_score(kExample, centres.dense(k)), 1e-5);
    }
  }
}

TEST(MeanTables, PathSumsAreTheSameScores) {
  const Centres centres;
  std::vector<double> counts(kClasses);
  for (ClassId k = 0; k < kClasses; ++k) counts[k] = 1.0 + k * k;
  for (const ClassTree& tree : {balanced_tree(random_order(kClasses, 3), 3),
                                balanced_tree(class_order(kClasses), 32), huffman_tree(counts)}) {
    const BlockLayout layout(tree, kDimension);
    std::vector<float> weights(layout.size(), 0.0F);
    set_tree_means(centres.rows, tree, layout, weights.data());
    const auto scores = all_scores(TreeScorer(PathScorer(tree, layout, weights.data())));
    // The score of the root's mean is left out of all of them alike.
    std::vector<double> root(kDimension, 0.0);
    for (ClassId k = 0; k < kClasses; ++k) {
      const auto centre = centres.dense(k);
      for (std::size_t i = 0; i < root.size(); ++i) root[i] += centre[i] / kClasses;
    }
    const double base = centre_score(kExample, root);
    for (ClassId k = 0; k < kClasses; ++k) {
      EXPECT_NEAR(scores[k], centre_score(kExample, centres.dense(k)) - base, 1e-4);
    }
  }
}

TEST(MeanTables, FrequenciesAddTheSameDifferencesToRowsAndToPaths) {
  std::vector<double> counts(kClasses);
  for (ClassId k = 0; k < kClasses; ++k) counts[k] = 1.0 + k * k;
  const BlockLayout flat = BlockLayout::flat(kClasses, kPanelWidth, kDimension);
  std::vector<float> rows(flat.size(), 0.0F);
  add_to_biases(log_frequencies(counts), flat, rows.data());
  const ClassTree tree = balanced_tree(random_order(kClasses, 4), 3);
  const BlockLayout layout(tree, kDimension);
  std::vector<float> paths(layout.size(), 0.0F);
  add_tree_frequencies(counts, tree, layout, paths.data());
  const auto of_rows = all_scores(FlatScorer(kClasses, flat, rows.data()));
  const auto of_paths = all_scores(TreeScorer(PathScorer(tree, layout, paths.data())));
  for (ClassId k = 0; k < kClasses; ++k) {
    EXPECT_NEAR(of_rows[k] - of_rows[0], std::log(counts[k]), 1e-5);
    EXPECT_NEAR(of_paths[k] - of_paths[0], std::log(counts[k]), 1e-4);
  }
}

TEST(MeanTables, EveryNodeScoresTheMeanOfTheClassesBelowIt) {
  const Centres centres;
  const ClassTree tree = balanced_tree(random_order(kClasses, 4), 3);
  const BlockLayout layout(tree, kDimension);
  std::vector<float> weights(layout.size(), 0.0F);
  set_tree_means(centres.rows, tree, layout, weights.data());
  const PathScorer scorer(tree, layout, weights.data());
  const RowView row = {nullptr, kExample.data(), kDimension};
  std::vector<float> scores;
  PathScratch scratch;
  scorer.score_all(std::span(&row, 1), scores, scratch);

  std::vector<std::vector<double>> means(tree.node_count(), std::vector<double>(kDimension, 0.0));
  std::vector<double> below(tree.node_count(), 0.0);
  for (ClassId k = 0; k < kClasses; ++k) {
    const auto centre = centres.dense(k);
    for (NodeId node = tree.leaf_of(k);; node = tree.parent(node)) {
      below[node] += 1.0;
      for (std::size_t i = 0; i < kDimension; ++i) means[node][i] += centre[i];
      if (node == 0) break;
    }
  }
  for (NodeId node = 0; node < tree.node_count(); ++node) {
    for (double& value : means[node]) value /= below[node];
  }
  const double base = centre_score(kExample, means[0]);
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    EXPECT_NEAR(scores[node], centre_score(kExample, means[node]) - base, 1e-4) << "node " << node;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

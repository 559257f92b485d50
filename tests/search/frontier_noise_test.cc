// The law of what a search left out is exact, so that estimates by it are unbiased.
#include "search/frontier_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "linear/scorers/tree_scorer.h"
#include "predict/normalizer.h"
#include "search/beam_search.h"
#include "search/centroid_selector.h"
#include "support/chi_square.h"
#include "support/flat_table.h"
#include "support/random_model.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 70;
constexpr FeatureId kDimension = 6;
constexpr std::uint32_t kExamples = 4;
constexpr std::uint32_t kWidth = 5;

// Classes in another order than the leaves, and leaves of different depths.
ClassTree uneven_tree() {
  std::vector<ClassId> order;
  for (ClassId k = 0; k < kClasses; ++k) order.push_back((k * 37) % kClasses);
  return balanced_tree(order, 4);
}

std::vector<ClassId> excluded_of(const Selection& selection, std::uint32_t example) {
  std::vector<ClassId> excluded;
  for (const Candidate& candidate : selection.of(example)) excluded.push_back(candidate.class_id);
  std::ranges::sort(excluded);
  return excluded;
}

// Over all classes outside, the probabilities sum to one, those of the draws are theirs, and the
// draws follow them.
void check_law(Selector::Worker& worker, const std::vector<RowView>& rows) {
  Selection selection;
  worker.select(rows, {CounterRandom(1, RandomPurpose::kNoise), {}}, kWidth, kWidth, selection);
  constexpr std::uint32_t kDraws = 4000;
  std::vector<ClassId> noises(kDraws);
  std::vector<float> log_q(kDraws);
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    const std::vector<ClassId> excluded = excluded_of(selection, e);
    std::vector<double> law(kClasses, 0.0);
    double sum = 0.0;
    for (ClassId k = 0; k < kClasses; ++k) {
      if (std::ranges::binary_search(excluded, k)) continue;
      law[k] = std::exp(static_cast<double>(worker.noise().log_q(e, k, excluded)));
      EXPECT_GT(law[k], 0.0);
      sum += law[k];
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
    worker.noise().draw(e, excluded, CounterRandom(1, RandomPurpose::kNoise), 9, noises, log_q);
    std::vector<double> counts(kClasses, 0.0);
    for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
      EXPECT_NEAR(static_cast<double>(log_q[draw]), std::log(law[noises[draw]]), 1e-4);
      counts[noises[draw]] += 1.0;
    }
    const testing::ChiSquare test = testing::chi_square(counts, law);
    EXPECT_LT(test.statistic, test.limit);
  }
}

// Every outcome of a draw, weighted by its probability: the mean of the estimates is the
// normaliser.
void check_unbiased(Selector::Worker& worker, const std::vector<RowView>& rows) {
  Selection selection;
  worker.select(rows, {CounterRandom(1, RandomPurpose::kNoise), {}}, kWidth, kWidth, selection);
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    const std::vector<ClassId> excluded = excluded_of(selection, e);
    ClassLists all;
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      for (ClassId k = 0; row == e && k < kClasses; ++k) all.classes.push_back(k);
      all.end_list();
    }
    std::vector<float> scores(kClasses);
    worker.score(rows, all, scores.data());
    double exact = 0.0;
    double mean = 0.0;
    for (ClassId k = 0; k < kClasses; ++k) {
      exact += std::exp(static_cast<double>(scores[k]));
      if (std::ranges::binary_search(excluded, k)) continue;
      NormalizerScratch scratch;
      for (std::uint32_t row = 0; row < rows.size(); ++row) {
        if (row == e) scratch.drawn.classes.push_back(k);
        scratch.drawn.end_list();
      }
      scratch.scores = {scores[k]};
      scratch.log_q = {worker.noise().log_q(e, k, excluded)};
      const LogNormalizer estimate = estimated_log_normalizer(e, selection, scratch);
      mean += std::exp(static_cast<double>(scratch.log_q[0] + estimate.value));
    }
    EXPECT_NEAR(mean / exact, 1.0, 1e-4);
  }
}

class FrontierNoiseTest : public ::testing::Test {
 protected:
  FrontierNoiseTest() : model_(uneven_tree(), kDimension, kExamples, false) {}

  testing::RandomModel model_;
};

TEST_F(FrontierNoiseTest, CountsTheClassesBelowEveryNode) {
  const std::vector<std::uint32_t> below = classes_below_nodes(model_.tree);
  EXPECT_EQ(below[0], kClasses);
  for (NodeId node = 0; node < model_.tree.node_count(); ++node) {
    std::uint32_t sum = model_.tree.is_leaf(node) ? 1 : 0;
    for (std::uint32_t c = 0; c < model_.tree.child_count(node); ++c) {
      sum += below[model_.tree.first_child(node) + c];
    }
    EXPECT_EQ(below[node], sum);
  }
}

TEST_F(FrontierNoiseTest, OfABeamSearchIsExact) {
  const TreeScorer scorer(model_.scorer());
  const BeamSelector selector(scorer);
  check_law(*selector.make_worker(), model_.rows);
  check_unbiased(*selector.make_worker(), model_.rows);
}

TEST_F(FrontierNoiseTest, OfACentroidSearchIsExact) {
  const testing::FlatTable table(kClasses, 1, kDimension);
  const FlatScorer scorer = table.scorer();
  const std::vector<float> margins(4, 2.0F);
  const std::vector<float> factors(4, 0.1F);
  CentroidSelector selector(scorer, model_.tree, SearchLevels<const float>{margins, factors});
  selector.refresh(nullptr);
  check_law(*selector.make_worker(), model_.rows);
  check_unbiased(*selector.make_worker(), model_.rows);
}

TEST_F(FrontierNoiseTest, EstimatesBetterThanUniformDraws) {
  // As in a tree of similar classes, a node says most about the classes below it.
  for (std::size_t place = model_.layout.offset(1); place < model_.weights.size(); ++place) {
    model_.weights[place] *= 0.3F;
  }
  const TreeScorer scorer(model_.scorer());
  const BeamSelector selector(scorer);
  const auto worker = selector.make_worker();
  const testing::RandomRows rows(kDimension, 200, false, 5);
  Selection selection;
  worker->select(rows.rows, {CounterRandom(1, RandomPurpose::kNoise), {}}, kWidth, kWidth,
                 selection);
  ScoringScratch scoring;
  NormalizerScratch scratch;
  std::vector<LogNormalizer> exact(rows.rows.size());
  exact_log_normalizers(scorer, rows.rows, scoring, scratch, exact);
  UniformNoise uniform(kClasses);
  const auto mean_error = [&](NoiseSource& noise) {
    draw_noises(*worker, noise, 16, rows.rows, selection, scratch);
    double sum = 0.0;
    for (std::uint32_t e = 0; e < rows.rows.size(); ++e) {
      const float estimate = estimated_log_normalizer(e, selection, scratch).value;
      sum += std::abs(static_cast<double>(estimate - exact[e].value));
    }
    return sum / static_cast<double>(rows.rows.size());
  };
  EXPECT_LT(mean_error(worker->noise()), 0.5 * mean_error(uniform));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

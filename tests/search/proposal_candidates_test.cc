// What a proposal finds: the best classes of p', scored again by the full model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/random_proposal.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::ProposalForm;
using testing::ProposalOptions;
using testing::RandomProposal;

constexpr std::uint32_t kClasses = 90;

std::vector<ClassId> best_of(std::vector<ClassId> classes, const std::vector<double>& scores,
                             std::size_t keep) {
  std::sort(classes.begin(), classes.end(),
            [&](ClassId a, ClassId b) { return scores[a] > scores[b]; });
  classes.resize(std::min(keep, classes.size()));
  return classes;
}

// A beam by the probabilities of nodes: the sums over the leaves below. All leaves are equally
// deep.
std::vector<ClassId> plain_beam(const ClassTree& tree, const std::vector<double>& law,
                                std::uint32_t width) {
  std::vector<double> node_law(tree.node_count(), 0.0);
  for (ClassId k = 0; k < tree.class_count(); ++k) {
    const double probability = std::exp(law[k]);
    for (NodeId node = tree.leaf_of(k); node != 0; node = tree.parent(node)) {
      node_law[node] += probability;
    }
  }
  std::vector<NodeId> frontier = {0};
  while (!tree.is_leaf(frontier[0])) {
    std::vector<NodeId> children;
    for (const NodeId node : frontier) {
      for (std::uint32_t c = 0; c < tree.child_count(node); ++c) {
        children.push_back(tree.first_child(node) + c);
      }
    }
    frontier = best_of(children, node_law, width);
  }
  for (NodeId& node : frontier) node = tree.leaf_class(node);
  return frontier;
}

class ProposalCandidates : public ::testing::TestWithParam<ProposalForm> {
 protected:
  static ProposalOptions options() {
    ProposalOptions options;
    options.form = GetParam();
    options.classes = kClasses;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Form, ProposalCandidates,
                         ::testing::Values(ProposalForm::kNarrow, ProposalForm::kTree,
                                           ProposalForm::kPrior),
                         [](const auto& form) { return name_of(form.param); });

TEST_P(ProposalCandidates, AreTheBestOfItsLawScoredAgainByTheFullRows) {
  for (const bool sparse : {false, true}) {
    ProposalOptions asked = options();
    asked.sparse = sparse;
    const RandomProposal model(asked);
    for (const std::uint32_t width : {1U, 9U, 30U, kClasses, 2 * kClasses}) {
      for (const std::uint32_t keep : {1U, 5U, width}) {
        if (keep > width) continue;
        const auto found = model.select(model.examples.rows, width, keep).selection;
        ASSERT_EQ(found.offsets.size(), asked.examples + 1);
        for (std::uint32_t e = 0; e < asked.examples; ++e) {
          const auto law = model.plain_law(e);
          std::vector<double> scores;
          for (ClassId k = 0; k < kClasses; ++k) {
            scores.push_back(model.plain_score(e, k));
          }
          const auto candidates = found.of(e);
          std::vector<ClassId> labels;
          for (const Candidate& candidate : candidates) {
            labels.push_back(candidate.class_id);
            EXPECT_NEAR(candidate.score, scores[candidate.class_id], 1e-4);
          }
          // A narrow proposal may hand over up to a quarter more than it was asked for.
          bool is_expected = false;
          for (std::uint32_t handed = width; handed <= width + width / 4; ++handed) {
            const auto proposed = model.is_tree() ? plain_beam(model.tree.tree, law, width)
                                                  : best_of(class_order(kClasses), law, handed);
            is_expected = is_expected || labels == best_of(proposed, scores, keep);
          }
          EXPECT_TRUE(is_expected) << "width " << width << ", keep " << keep << ", example " << e;
        }
      }
    }
  }
}

// With a beam as wide as all classes only the margin leaves classes out.
TEST(PriorCandidates, AreNearTheBestOfThePriorAndScoredWithIt) {
  constexpr float kMargin = 3.0F;
  for (const bool sparse : {false, true}) {
    ProposalOptions options = {.form = ProposalForm::kPrior, .classes = kClasses, .sparse = sparse};
    const RandomProposal all(options);
    options.margin = kMargin;
    const RandomProposal model(options);
    const auto found_all = all.select(all.examples.rows, kClasses, kClasses).selection;
    const auto found = model.select(model.examples.rows, kClasses, kClasses).selection;
    EXPECT_LT(found.candidates.size(), found_all.candidates.size());
    for (std::uint32_t e = 0; e < model.options.examples; ++e) {
      EXPECT_EQ(found_all.of(e).size(), kClasses);
      const auto law = model.plain_law(e);
      double best = law[found.of(e)[0].class_id];
      for (const Candidate& candidate : found.of(e)) {
        best = std::max(best, law[candidate.class_id]);
      }
      for (const Candidate& candidate : found.of(e)) {
        EXPECT_GT(law[candidate.class_id], best - static_cast<double>(kMargin) - 1e-4);
        EXPECT_NEAR(candidate.score, model.plain_score(e, candidate.class_id), 1e-4);
      }
    }
  }
}

TEST(PriorCandidates, AreScoredLikeAnyOtherClass) {
  const RandomProposal model({.form = ProposalForm::kPrior, .classes = kClasses});
  auto selected = model.select(model.examples.rows, 9, 9);
  ClassLists lists;
  lists.clear();
  for (std::uint32_t e = 0; e < model.options.examples; ++e) {
    for (ClassId k = e; k < kClasses; k += 7) lists.classes.push_back(k);
    lists.end_list();
  }
  std::vector<float> by_worker(lists.classes.size());
  std::vector<float> by_scorer(lists.classes.size());
  selected.worker->score(model.examples.rows, lists, by_worker.data());
  ScoringScratch scratch;
  model.prior_scorer->score(model.examples.rows, lists, scratch, by_scorer.data());
  const std::size_t pitch = model.prior_scorer->all_pitch();
  std::vector<float> all(model.options.examples * pitch);
  model.prior_scorer->score_all(model.examples.rows, scratch, pitch, all.data());
  std::size_t i = 0;
  for (std::uint32_t e = 0; e < model.options.examples; ++e) {
    for (const ClassId k : lists.of(e)) {
      EXPECT_NEAR(by_worker[i], model.plain_score(e, k), 1e-4);
      EXPECT_NEAR(by_scorer[i++], model.plain_score(e, k), 1e-4);
      EXPECT_NEAR(all[e * pitch + k], model.plain_score(e, k), 1e-4);
    }
    EXPECT_EQ(all[e * pitch + kClasses], -std::numeric_limits<float>::infinity());
  }
}

TEST_P(ProposalCandidates, OfAnExampleDoNotDependOnTheBatch) {
  const RandomProposal model(options());
  const auto together = model.select(model.examples.rows, 12, 6).selection;
  for (std::uint32_t e = 0; e < model.options.examples; ++e) {
    const auto alone = model.select(std::span(&model.examples.rows[e], 1), 12, 6).selection;
    ASSERT_EQ(alone.of(0).size(), together.of(e).size());
    for (std::size_t i = 0; i < alone.of(0).size(); ++i) {
      EXPECT_EQ(alone.of(0)[i].class_id, together.of(e)[i].class_id);
      EXPECT_EQ(alone.of(0)[i].score, together.of(e)[i].score);
    }
  }
}

TEST_P(ProposalCandidates, AWorkerForgetsTheBatchBefore) {
  const RandomProposal model(options());
  auto used = model.select(model.examples.rows, kClasses, kClasses);
  const CounterRandom random(1, RandomPurpose::kNoise);
  const auto rows = std::span(model.examples.rows).last(2);
  const std::vector<std::uint32_t> numbers = {0, 0};
  // The law of the batch before is looked at, and then that of the next one.
  const std::vector<ClassId> excluded = {2, 3};
  for (const std::uint32_t e : {0U, 1U}) {
    used.worker->log_q(e, 1, excluded);
  }
  used.worker->select(rows, {random, numbers}, 7, 7, used.selection);
  auto fresh = model.select(rows, 7, 7);
  for (const std::uint32_t e : {0U, 1U}) {
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(used.selection.of(e)[i].class_id, fresh.selection.of(e)[i].class_id);
    }
    for (const ClassId k : {0U, 1U, 40U, 89U}) {
      EXPECT_EQ(used.worker->log_q(e, k, excluded), fresh.worker->log_q(e, k, excluded));
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

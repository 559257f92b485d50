// The law of the noises of a proposal: what it states, and what it draws.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/chi_square.h"
#include "support/random_proposal.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::ProposalForm;
using testing::ProposalOptions;
using testing::RandomProposal;

constexpr double kFloor = 0.1;

std::vector<ClassId> all_but(std::uint32_t classes, const std::vector<ClassId>& kept) {
  std::vector<ClassId> excluded;
  for (ClassId k = 0; k < classes; ++k) {
    if (!std::ranges::binary_search(kept, k)) excluded.push_back(k);
  }
  return excluded;
}

// The best of p', ascending: what a selector would exclude.
std::vector<ClassId> best_of(const std::vector<double>& law, std::size_t count) {
  std::vector<ClassId> best(law.size());
  for (ClassId k = 0; k < best.size(); ++k) best[k] = k;
  std::sort(best.begin(), best.end(), [&](ClassId a, ClassId b) { return law[a] > law[b]; });
  best.resize(count);
  std::sort(best.begin(), best.end());
  return best;
}

// q by its definition. `least`: below this mass outside p' is not told from none.
std::vector<double> plain_q(const std::vector<double>& log_law,
                            const std::vector<ClassId>& excluded, double least = 0.0) {
  double outside = 0.0;
  std::vector<double> law;
  for (ClassId k = 0; k < log_law.size(); ++k) {
    law.push_back(std::ranges::binary_search(excluded, k) ? 0.0 : std::exp(log_law[k]));
    outside += law.back();
  }
  const double uniform = 1.0 / static_cast<double>(log_law.size() - excluded.size());
  for (ClassId k = 0; k < law.size(); ++k) {
    if (std::ranges::binary_search(excluded, k)) continue;
    law[k] = outside > least ? (1.0 - kFloor) * law[k] / outside + kFloor * uniform : uniform;
  }
  return law;
}

// Draws often: the stated law is `expected`, sums to one, and is that of the frequencies.
void expect_law(const RandomProposal& random_proposal, std::uint32_t example,
                const std::vector<ClassId>& excluded, const std::vector<double>& expected,
                double tolerance) {
  auto selected = random_proposal.select(random_proposal.examples.rows, 9, 9);
  std::vector<double> stated(expected.size(), 0.0);
  double sum = 0.0;
  for (ClassId k = 0; k < expected.size(); ++k) {
    if (std::ranges::binary_search(excluded, k)) continue;
    stated[k] = std::exp(static_cast<double>(selected.worker->log_q(example, k, excluded)));
    sum += stated[k];
    EXPECT_NEAR(stated[k] / expected[k], 1.0, tolerance) << "class " << k;
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);
  constexpr std::size_t kDraws = 100;
  std::vector<ClassId> noises(kDraws);
  std::vector<float> log_q(kDraws);
  std::vector<double> observed(expected.size(), 0.0);
  const CounterRandom random(5, RandomPurpose::kNoise, 1);
  for (std::uint64_t number = 0; number < 200; ++number) {
    selected.worker->draw(example, excluded, random, number, noises, log_q);
    for (std::size_t i = 0; i < kDraws; ++i) {
      ASSERT_LT(noises[i], expected.size());
      ASSERT_FALSE(std::ranges::binary_search(excluded, noises[i])) << noises[i];
      ASSERT_NEAR(log_q[i], std::log(stated[noises[i]]), 1e-6);
      observed[noises[i]] += 1.0;
    }
  }
  const testing::ChiSquare result = testing::chi_square(observed, stated);
  EXPECT_LE(result.statistic, result.limit);
}

class ProposalLaw : public ::testing::TestWithParam<ProposalForm> {
 protected:
  static ProposalOptions options() {
    ProposalOptions options;
    options.form = GetParam();
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Form, ProposalLaw,
                         ::testing::Values(ProposalForm::kNarrow, ProposalForm::kTree,
                                           ProposalForm::kPrior),
                         [](const auto& form) { return name_of(form.param); });

TEST_P(ProposalLaw, BehindTheNoisesIsNormalizedAndThatOfThePlainReference) {
  for (const std::uint32_t classes : {2U, 64U, 90U}) {
    for (const bool sparse : {false, true}) {
      ProposalOptions asked = options();
      asked.classes = classes;
      asked.sparse = sparse;
      const RandomProposal model(asked);
      auto selected = model.select(model.examples.rows, 9, 9);
      GradientParts projection(model.projection.layout);
      GradientParts table(model.class_layout());
      for (std::uint32_t e = 0; e < asked.examples; ++e) {
        const auto law = model.plain_law(e);
        double sum = 0.0;
        for (ClassId k = 0; k < classes; ++k) {
          // The loss that it learns by is -log p'.
          const auto loss =
              static_cast<double>(model.learn(*selected.worker, e, k, 1.0F, projection, table));
          EXPECT_NEAR(-loss, law[k], 1e-4) << "class " << k;
          sum += std::exp(-loss);
        }
        EXPECT_NEAR(sum, 1.0, 1e-5);
      }
    }
  }
}

TEST_P(ProposalLaw, OfNoisesIsThatOutsideTheExcludedSet) {
  const RandomProposal model(options());
  for (const std::uint32_t example : {0U, 3U}) {
    const auto law = model.plain_law(example);
    for (const auto& excluded : {std::vector<ClassId>{},
                                 {0},
                                 {89},
                                 {63, 64},
                                 best_of(law, 9),
                                 best_of(law, 80),
                                 all_but(90, {7, 64, 65, 80})}) {
      SCOPED_TRACE(::testing::Message()
                   << "example " << example << ", " << excluded.size() << " excluded");
      expect_law(model, example, excluded, plain_q(law, excluded), 2e-4);
    }
  }
}

TEST_P(ProposalLaw, DrawsSeldomWhereAPriorIsSureOfTheCandidates) {
  std::size_t seldom = 0;
  for (const float scale : {0.5F, 3.0F, 6.0F}) {
    ProposalOptions asked = options();
    asked.scale = scale;
    const RandomProposal model(asked);
    auto selected = model.select(model.examples.rows, 9, 9);
    for (std::uint32_t e = 0; e < asked.examples; ++e) {
      std::vector<ClassId> excluded;
      double outside = 1.0;
      const auto law = model.plain_law(e);
      for (const Candidate& candidate : selected.selection.of(e)) {
        excluded.push_back(candidate.class_id);
        outside -= std::exp(law[candidate.class_id]);
      }
      std::sort(excluded.begin(), excluded.end());
      const double expected = model.is_prior() ? std::clamp(outside / 0.05, 0.05, 1.0) : 1.0;
      EXPECT_NEAR(selected.worker->draw_probability(e, excluded), expected, 1e-3);
      if (expected < 1.0) ++seldom;
    }
  }
  EXPECT_EQ(seldom > 0, GetParam() == ProposalForm::kPrior);
}

TEST_P(ProposalLaw, IsCertainOfTheOnlyClassLeft) {
  const RandomProposal model(options());
  auto selected = model.select(model.examples.rows, 9, 9);
  for (const ClassId left : {0U, 31U, 63U, 64U, 89U}) {
    const auto excluded = all_but(90, {left});
    std::vector<ClassId> noises(50);
    std::vector<float> log_q(50);
    selected.worker->draw(1, excluded, CounterRandom(1, RandomPurpose::kNoise), 3, noises, log_q);
    EXPECT_EQ(noises, std::vector<ClassId>(50, left));
    for (const float value : log_q) EXPECT_NEAR(value, 0.0F, 1e-6F);
    EXPECT_NEAR(selected.worker->log_q(1, left, excluded), 0.0F, 1e-6F);
  }
}

// Weights so large that p' of most classes underflows: of what is excluded, of what is outside, and
// of whole subtrees.
TEST_P(ProposalLaw, IsExactWhereNearlyAllMassIsExcluded) {
  for (const float scale : {2.0F, 4.0F, 12.0F}) {
    ProposalOptions asked = options();
    asked.scale = scale;
    const RandomProposal model(asked);
    for (std::uint32_t example = 0; example < 3; ++example) {
      const auto law = model.plain_law(example);
      for (const std::size_t count : {1U, 2U, 9U, 40U, 89U}) {
        SCOPED_TRACE(::testing::Message() << "scale " << scale << ", example " << example << ", "
                                          << count << " excluded");
        const auto excluded = best_of(law, count);
        double outside = 0.0;
        for (ClassId k = 0; k < law.size(); ++k) {
          if (!std::ranges::binary_search(excluded, k)) outside += std::exp(law[k]);
        }
        if (outside > 0.5e-30 && outside < 2e-30) continue;  // on the edge of having any
        // A product of large weights has few correct digits.
        expect_law(model, example, excluded, plain_q(law, excluded, 1e-30),
                   1e-4 + 2e-5 * static_cast<double>(scale * scale));
      }
    }
  }
}

TEST_P(ProposalLaw, OfAnExampleDoesNotDependOnTheBatch) {
  const RandomProposal model(options());
  const std::vector<ClassId> excluded = {1, 5, 70};
  auto together = model.select(model.examples.rows, 9, 9);
  for (std::uint32_t e = 0; e < model.options.examples; ++e) {
    auto alone = model.select(std::span(&model.examples.rows[e], 1), 9, 9);
    for (ClassId k = 0; k < 90; ++k) {
      if (std::ranges::binary_search(excluded, k)) continue;
      EXPECT_EQ(alone.worker->log_q(0, k, excluded), together.worker->log_q(e, k, excluded));
    }
    std::vector<ClassId> first(20);
    std::vector<ClassId> second(20);
    std::vector<float> log_q(20);
    const CounterRandom random(5, RandomPurpose::kNoise, 1);
    alone.worker->draw(0, excluded, random, 77, first, log_q);
    together.worker->draw(e, excluded, random, 77, second, log_q);
    EXPECT_EQ(first, second);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

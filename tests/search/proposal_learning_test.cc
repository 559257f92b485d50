// The gradient a proposal learns by.
#include <gtest/gtest.h>

#include <vector>

#include "support/random_proposal.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::ProposalForm;
using testing::ProposalOptions;
using testing::RandomProposal;

class ProposalLearning : public ::testing::TestWithParam<ProposalForm> {};

INSTANTIATE_TEST_SUITE_P(Form, ProposalLearning,
                         ::testing::Values(ProposalForm::kNarrow, ProposalForm::kTree,
                                           ProposalForm::kPrior),
                         [](const auto& form) { return name_of(form.param); });

// The gradient in every weight of a table, from the steps: minus those times the features.
std::vector<double> dense_gradient(const BlockLayout& layout, const GradientParts& gradient,
                                   std::uint32_t example, const RowView& row) {
  std::vector<double> dense(layout.size(), 0.0);
  for (std::size_t part = 0; part < gradient.parts().size(); ++part) {
    const auto& [of, block] = gradient.parts()[part];
    EXPECT_EQ(of, example);
    const std::uint32_t stride = layout.shape(block).stride;
    for (std::uint32_t c = 0; c < stride; ++c) {
      const auto step = static_cast<double>(gradient.steps(part)[c]);
      for (std::uint32_t p = 0; p < row.count; ++p) {
        const std::size_t feature = row.indices == nullptr ? p : row.indices[p];
        dense[layout.offset(block) + feature * stride + c] -=
            step * static_cast<double>(row.values[p]);
      }
      dense[layout.offset(block) + layout.dimension() * stride + c] -= step;
    }
  }
  return dense;
}

TEST_P(ProposalLearning, AgreesWithFiniteDifferencesInEveryWeight) {
  constexpr float kScale = 1.5F;
  for (const bool sparse : {false, true}) {
    ProposalOptions options;
    options.form = GetParam();
    options.sparse = sparse;
    options.classes = 70;
    RandomProposal model(options);
    constexpr std::uint32_t kExample = 2;
    for (const ClassId label : {0U, 66U}) {
      auto selected = model.select(model.examples.rows, 9, 9);
      GradientParts projection(model.projection.layout);
      GradientParts table(model.class_layout());
      const float loss = model.learn(*selected.worker, kExample, label, kScale, projection, table);
      EXPECT_NEAR(-loss, model.plain_law(kExample)[label], 1e-4);
      const auto check = [&](std::vector<float>& weights, const std::vector<double>& gradient) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
          const float before = weights[i];
          weights[i] = before + 0.01F;
          const float up = weights[i];
          const double at_up = model.plain_law(kExample)[label];
          weights[i] = before - 0.01F;
          const double slope =
              (model.plain_law(kExample)[label] - at_up) / static_cast<double>(up - weights[i]);
          weights[i] = before;
          // Padding has no part in the law, and may have none in the gradient: it stays zero.
          ASSERT_NEAR(gradient[i], static_cast<double>(kScale) * slope, 3e-4) << "weight " << i;
        }
      };
      if (!model.is_prior()) {
        check(model.projection.weights, dense_gradient(model.projection.layout, projection,
                                                       kExample, model.examples.rows[kExample]));
      }
      check(model.class_weights(), dense_gradient(model.class_layout(), table, kExample,
                                                  selected.worker->projected()[kExample]));
    }
  }
}

TEST_P(ProposalLearning, IsTheSameAfterNoisesWereDrawn) {
  ProposalOptions options;
  options.form = GetParam();
  const RandomProposal model(options);
  auto untouched = model.select(model.examples.rows, 9, 9);
  auto drawn = model.select(model.examples.rows, 9, 9);
  const std::vector<ClassId> excluded = {0, 4, 50};
  std::vector<ClassId> noises(5);
  std::vector<float> log_q(5);
  for (const std::uint32_t e : {1U, 0U}) {
    drawn.worker->draw(e, excluded, CounterRandom(1, RandomPurpose::kNoise), 0, noises, log_q);
  }
  GradientParts first_projection(model.projection.layout);
  GradientParts first_table(model.class_layout());
  GradientParts second_projection(model.projection.layout);
  GradientParts second_table(model.class_layout());
  for (const std::uint32_t e : {0U, 1U, 2U}) {
    EXPECT_EQ(model.learn(*untouched.worker, e, 4, 1.0F, first_projection, first_table),
              model.learn(*drawn.worker, e, 4, 1.0F, second_projection, second_table));
  }
  ASSERT_EQ(first_table.parts().size(), second_table.parts().size());
  for (std::size_t part = 0; part < first_table.parts().size(); ++part) {
    for (std::uint32_t c = 0; c < model.class_layout().widest_stride(); ++c) {
      ASSERT_EQ(first_table.steps(part)[c], second_table.steps(part)[c]);
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

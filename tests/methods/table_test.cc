// Every table has one complete row for each value of its enum, and what the rows say of one another
// fits: a row that was forgotten or left half empty fails here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "cane/names.h"
#include "methods/check_config.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "methods/with_objective.h"
#include "support/enumerators.h"
#include "support/method_rows.h"

namespace cane {
namespace CANE_THIS_FILE {

const DataFacts kFacts = {1000, 10, 100, 1.0};

template <typename Rows>
void expect_complete(const Rows& rows) {
  using Kind = decltype(rows[0].kind);
  std::vector<Kind> kinds;
  std::set<std::string> names;
  for (const auto& row : rows) {
    kinds.push_back(row.kind);
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_STRNE(row.name, "");
    EXPECT_GT(std::string(row.summary).size(), 5U) << row.name;
    EXPECT_EQ(std::string(row.summary).find('\n'), std::string::npos) << row.name;
    EXPECT_STREQ(name_of(row.kind), row.name);
    EXPECT_EQ(value_named<Kind>("option", row.name), row.kind);
  }
  EXPECT_EQ(kinds, testing::enumerators<Kind>());
}

TEST(Tables, HaveACompleteRowForEveryValue) {
  expect_complete(kMethods);
  expect_complete(kSelectors);
  expect_complete(kEncoders);
  expect_complete(kNoises);
  expect_complete(kOptimizers);
}

TEST(Tables, ThrowWhereAValueHasNoRow) {
  EXPECT_THROW(row_of(static_cast<Method>(kMethods.size())), std::logic_error);
  EXPECT_THROW(name_of(static_cast<SelectorKind>(kSelectors.size())), std::logic_error);
}

TEST(MethodTable, SaysWhatFitsTogether) {
  for (const MethodRow& row : kMethods) {
    SCOPED_TRACE(row.name);
    if (row.kind == Method::kAuto) continue;
    // A method learns in exactly one way.
    EXPECT_EQ(row.has_objective + row.is_hierarchical + row.is_online_tree, 1);
    if (row.has_objective) {
      EXPECT_NE(row.trains_all_classes, row.has_noises());
    } else {
      EXPECT_FALSE(row.has_candidates || row.has_noises() || row.trains_all_classes);
    }
    if (!row.has_noises()) {
      EXPECT_FALSE(row.excludes_label || row.takes_uniform_noise_only || row.learns_ratio_to_noise);
    }
    EXPECT_TRUE(!row.takes_uniform_noise_only || row.noise == NoiseKind::kUniform);
    EXPECT_TRUE(row.noise != NoiseKind::kProposal || row.has_candidates);
    EXPECT_EQ(row.is_online_tree, row.learns_routing || row.needs_binary_tree);
    EXPECT_EQ(row.learns_routing, row.grows_nodes || row.has_node_candidates);
    EXPECT_GT(row.encoded_rate, 0.0F);
    EXPECT_GT(row.chance_loss(1000), 0.0);
    EXPECT_GT(row.rate_scale(1000), 0.0);
    EXPECT_LE(row.rate_scale(2), 1.0);
  }
}

// Equal scores: the loss that the trainer compares with is the one of the objective.
TEST(MethodTable, GivesTheLossOfEqualScores) {
  constexpr std::uint32_t kClasses = 5;
  const std::vector<float> log_q(kClasses - 1, std::log(1.0F / (kClasses - 1)));
  for (const MethodRow& row : kMethods) {
    if (!row.has_objective) continue;
    // The sampled softmax of these is another loss, of the same size.
    if (row.has_noises() && !row.excludes_label && !row.has_candidates) continue;
    const std::uint32_t noises = row.has_noises() ? kClasses - 1 : 0;
    const Shortlist shortlist = {kClasses - noises, noises, 0, log_q.data(), 0.0F, 0};
    const std::vector<float> scores(kClasses, 0.5F);
    std::vector<float> gradient(kClasses);
    const float loss = with_objective(row.kind, kClasses, [&](const auto& objective) {
      return objective(shortlist, scores.data(), gradient.data());
    });
    EXPECT_NEAR(static_cast<double>(loss), row.chance_loss(kClasses), 1e-5) << row.name;
  }
}

TEST(SelectorTable, SaysWhatFitsTogether) {
  for (const SelectorRow& row : kSelectors) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(row.has_proposal || !row.proposes_by_tree);
    EXPECT_TRUE(row.is_exhaustive || !row.takes_all_classes);
    EXPECT_GE(row.beam_per_candidate, 1U);
  }
}

TEST(EncoderTable, SaysWhereWeightsBegin) {
  for (const EncoderRow& row : kEncoders) {
    EXPECT_EQ(row.has_layers, row.start_range(64.0) > 0.0) << row.name;
    EXPECT_TRUE(row.has_layers || !row.has_hidden_layers) << row.name;
    EXPECT_GT(row.first_layer_rate, 0.0F) << row.name;
  }
}

TEST(Tables, ResolveToOptionsThatAreValid) {
  const auto expect_valid = [](const TrainConfig& asked, const char* name) {
    const Resolved resolved = resolve(asked, kFacts);
    EXPECT_EQ(validation_error(resolved.config), nullptr) << name;
  };
  for (const MethodRow& method : kMethods) {
    for (const EncoderRow& encoder : kEncoders) {
      TrainConfig asked;
      asked.method = method.kind;
      asked.encoder = encoder.kind;
      expect_valid(asked, method.name);
    }
    if (!method.has_candidates) continue;
    for (const SelectorRow& selector : kSelectors) {
      TrainConfig asked;
      asked.method = method.kind;
      asked.select = selector.kind;
      expect_valid(asked, selector.name);
      EXPECT_EQ(resolve(asked, kFacts).config.select == SelectorKind::kAuto, false);
    }
  }
}

// The tests that hold for every method run over these.
TEST(Tables, AreCoveredByTheRowsOfTheTests) {
  std::set<Method> methods = {Method::kAuto};
  std::set<SelectorKind> selectors = {SelectorKind::kAuto};
  std::set<EncoderKind> encoders = {EncoderKind::kAuto};
  std::set<NoiseKind> noises = {NoiseKind::kAuto};
  for (const testing::MethodRow& row : testing::method_rows()) {
    methods.insert(row.config.method);
    selectors.insert(row.config.select);
    const EncoderKind encoder = row.config.encoder;
    encoders.insert(encoder == EncoderKind::kAuto ? EncoderKind::kIdentity : encoder);
    noises.insert(row.config.noise);
  }
  for (const MethodRow& row : kMethods) EXPECT_EQ(methods.count(row.kind), 1U) << row.name;
  for (const SelectorRow& row : kSelectors) EXPECT_EQ(selectors.count(row.kind), 1U) << row.name;
  for (const EncoderRow& row : kEncoders) EXPECT_EQ(encoders.count(row.kind), 1U) << row.name;
  for (const NoiseRow& row : kNoises) EXPECT_EQ(noises.count(row.kind), 1U) << row.name;
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

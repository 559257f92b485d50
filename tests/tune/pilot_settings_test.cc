#include "tune/pilot_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "methods/config_facts.h"
#include "methods/step_work.h"

namespace cane {
namespace CANE_THIS_FILE {

const DataFacts kDense = {.classes = 10'000, .dimension = 128, .examples = 400'000, .density = 1.0};

TEST(PilotSettings, BeginWithTheAutomaticOneAndDiffer) {
  const TrainConfig asked;
  const auto settings = pilot_settings(asked, kDense);
  ASSERT_GT(settings.size(), 3U);
  EXPECT_EQ(differing_fields(settings.front(), resolve(asked, kDense).config), "");
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(differing_fields(settings[i], settings[j]), "") << setting_name(settings[i]);
    }
  }
}

TEST(PilotSettings, KeepWhatIsGiven) {
  TrainConfig asked;
  asked.method = Method::kCane;
  asked.rank = 32;
  asked.candidates = 20;
  for (const TrainConfig& setting : pilot_settings(asked, kDense)) {
    EXPECT_EQ(setting.method, Method::kCane);
    EXPECT_EQ(setting.rank, 32U);
    EXPECT_EQ(setting.candidates, 20U);
  }
  asked = {};
  asked.select = SelectorKind::kExact;
  EXPECT_EQ(pilot_settings(asked, kDense).size(), 1U);
  asked = {};
  asked.scorer = ScorerKind::kPath;
  for (const TrainConfig& setting : pilot_settings(asked, kDense)) {
    EXPECT_TRUE(has_path_scorer(setting));
  }
}

TEST(PilotSettings, LeaveOutWhatCostsFarMore) {
  DataFacts many = kDense;
  many.classes = 1'000'000;
  const auto settings = pilot_settings({}, many);
  for (const TrainConfig& setting : settings) {
    EXPECT_NE(setting.method, Method::kSoftmax);
    EXPECT_NE(setting.select, SelectorKind::kNarrow);
    EXPECT_LE(step_work(setting, many), 4.0 * step_work(settings.front(), many));
  }
}

TEST(StepWork, GrowsWithWhatIsScored) {
  const auto work = [&](Method method, std::uint32_t classes, std::uint32_t dimension) {
    TrainConfig asked;
    asked.method = method;
    const DataFacts facts = {classes, dimension, 1000, 1.0};
    return step_work(resolve(asked, facts).config, facts);
  };
  EXPECT_GT(work(Method::kSoftmax, 2000, 100), 1.9 * work(Method::kSoftmax, 1000, 100));
  EXPECT_GT(work(Method::kSoftmax, 1000, 200), 1.5 * work(Method::kSoftmax, 1000, 100));
  EXPECT_EQ(work(Method::kNce, 2000, 100), work(Method::kNce, 1000, 100));
  EXPECT_LT(work(Method::kHsm, 1'000'000, 100), 3.0 * work(Method::kHsm, 1000, 100));
  EXPECT_LT(work(Method::kCane, 100'000, 100), 0.1 * work(Method::kSoftmax, 100'000, 100));
}

TEST(StepWork, CountsWhereSparseRowsLie) {
  const auto share = [&](double density) {
    const DataFacts facts = {20'000, 2000, 1000, density};
    const auto work = [&](Method method) {
      TrainConfig asked;
      asked.method = method;
      asked.noises = method == Method::kNce ? 50 : 0;
      return step_work(resolve(asked, facts).config, facts);
    };
    return work(Method::kNce) / work(Method::kHsm);
  };
  EXPECT_GT(share(0.004), 2.0) << "each noise is somewhere else";
  EXPECT_LT(share(1.0), 1.0);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

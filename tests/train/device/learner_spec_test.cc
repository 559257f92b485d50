#include "train/device/learner_spec.h"

#include <gtest/gtest.h>

#include "support/training.h"
#include "train/device/row_feed.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;

TEST(LearnerSpec, HasRoomForTheLongestRowsOfABatch) {
  const SmallData data({.examples = 50, .sparse = true});
  const DatasetView view = data.view();
  std::vector<std::uint64_t> lengths;
  for (std::size_t i = 0; i < 50; ++i) lengths.push_back(view.row(i, {}).count);
  std::ranges::sort(lengths, std::greater());
  EXPECT_EQ(most_values(view, 1), lengths[0]);
  EXPECT_EQ(most_values(view, 3), lengths[0] + lengths[1] + lengths[2]);
  EXPECT_EQ(most_values(view, 50), view.stored_values());
  EXPECT_EQ(most_values(view, 1000), view.stored_values());
}

TEST(LearnerSpec, SaysWhatTheModelSays) {
  const SmallData data({.sparse = true});
  const DatasetView view = data.view();
  TrainConfig config;
  config.device = "cuda";
  config.method = Method::kCane;
  config.select = SelectorKind::kNone;
  config.encoder = EncoderKind::kBag;
  config.dim = 8;
  config.l2 = 1e-4F;
  ModelData model = testing::small_model(view, config, 20);
  TrainState state = testing::small_state(model);
  state.rate_scales = {1.0F, 0.5F};
  const device::LearnerSpec spec = with_rates(learner_spec(model, view, 17), model, state);
  EXPECT_EQ(spec.classes.rows, 20U);
  EXPECT_EQ(spec.classes.columns, 9U);
  EXPECT_EQ(spec.classes.size(), model.tables[0].layout.size());
  EXPECT_EQ(spec.classes.sums, state.optimizers[0]->state().size());
  EXPECT_EQ(spec.classes.rate_scale, 1.0F);
  EXPECT_EQ(spec.encoder.rows, 13U);
  EXPECT_EQ(spec.encoder.columns, 8U);
  EXPECT_EQ(spec.encoder.size(), model.tables[1].layout.size());
  EXPECT_EQ(spec.encoder.sums, state.optimizers[1]->state().size());
  EXPECT_EQ(spec.encoder.rate_scale, 0.5F);
  EXPECT_EQ(spec.dimension, 12U);
  EXPECT_TRUE(spec.is_sparse);
  EXPECT_EQ(spec.columns, 17U);
  EXPECT_EQ(spec.batch, model.config.batch);
  EXPECT_EQ(spec.l2, 1e-4F);
  EXPECT_EQ(spec.kept_examples, 0U);
  EXPECT_EQ(keeping(spec, view).kept_examples, view.size());
  EXPECT_EQ(keeping(spec, view).kept_values, view.stored_values());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

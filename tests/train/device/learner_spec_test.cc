#include "train/device/learner_spec.h"

#include <gtest/gtest.h>

#include "support/training.h"

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
  config.select = SelectorKind::kTree;
  config.noise = NoiseKind::kUnigram;
  config.encoder = EncoderKind::kBag;
  config.dim = 8;
  config.rank = 4;
  config.arity = 4;
  config.l2 = 1e-4F;
  ModelData model = testing::small_model(view, config, 20);
  TrainState state = testing::small_state(model);
  state.rate_scales = {1.0F, 0.5F, 0.25F, 0.125F};
  const SpecOfModel of_model(model, view);
  const device::LearnerSpec spec = of_model.spec(false, state);
  EXPECT_EQ(spec.classes, 20U);
  EXPECT_EQ(spec.dimension, 12U);
  EXPECT_TRUE(spec.is_sparse);
  EXPECT_EQ(spec.encoder_dim, 8U);
  EXPECT_EQ(spec.batch, model.config.batch);
  EXPECT_EQ(spec.l2, 1e-4F);
  EXPECT_EQ(spec.kept_examples, 0U);
  EXPECT_EQ(of_model.spec(true).kept_examples, view.size());
  EXPECT_EQ(of_model.spec(true).kept_values, view.stored_values());
  EXPECT_EQ(spec.tree.nodes, model.tree.node_count());
  for (ClassId k = 0; k < 20; ++k) {
    EXPECT_EQ(spec.tree.leaf_classes[spec.tree.leaves[k]], k);
    EXPECT_EQ(spec.tree.first_children[spec.tree.parents[spec.tree.leaves[k]]],
              model.tree.first_child(model.tree.parent(model.tree.leaf_of(k))));
  }
  ASSERT_NE(spec.noise_masses, nullptr);
  for (ClassId k = 0; k < 20; ++k) EXPECT_GT(spec.noise_masses[k], 0.0);
  const auto scale = [&](device::Table table) {
    return spec.tables[static_cast<std::size_t>(table)].rate_scale;
  };
  EXPECT_EQ(scale(device::Table::kClasses), 1.0F);
  EXPECT_EQ(scale(device::Table::kProjection), 0.5F);
  EXPECT_EQ(scale(device::Table::kProposal), 0.25F);
  EXPECT_EQ(scale(device::Table::kEncoder), 0.125F);
  EXPECT_EQ(spec.tables[0].optimizer, OptimizerKind::kAdagrad);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

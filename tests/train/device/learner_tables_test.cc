#include "train/device/learner_tables.h"

#include <gtest/gtest.h>

#include "cane/error.h"
#include "support/device_training.h"
#include "support/method_rows.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::DeviceTraining;
using testing::SmallData;

std::vector<testing::MethodRow> rows_of_device() {
  std::vector<testing::MethodRow> rows;
  for (testing::MethodRow row : testing::method_rows()) {
    row.config.device = "cuda";
    try {
      resolve(row.config, {20, 12, 400, 1.0});
      rows.push_back(row);
    } catch (const Error&) {
    }
  }
  return rows;
}

// Weights of a start, another number each, and the padding zero.
void start(const DeviceTraining& training, TrainState& state) {
  ThreadPool pool(1);
  float next = 1.0F;
  for (const LearnerTable& table : learner_tables(training.model)) {
    const std::size_t size = size_of(training.model, table);
    std::vector<float> rows(size);
    for (float& value : rows) value = next++;
    const BlockLayout& layout = training.model.tables[table.index].layout;
    if (table.embedding > 0) {
      embeddings_to_block(layout, table.embedding, rows.data(), state.weights[table.index].data());
    } else {
      RowMajor(layout, 20, table.tree)
          .weights_to_blocks(rows.data(), state.weights[table.index].data(), pool);
    }
  }
}

TEST(LearnerTables, ComeBackAsTheyWent) {
  const SmallData data({.sparse = true});
  const DatasetView view = data.view();
  ASSERT_GE(rows_of_device().size(), 12U);
  for (const testing::MethodRow& row : rows_of_device()) {
    SCOPED_TRACE(row.name);
    DeviceTraining training(view, row.config, Feed::kKept);
    TrainState filled = testing::small_state(training.model);
    start(training, filled);
    DeviceTraining::fill(filled);
    const SpecOfModel spec(training.model, view);
    testing::LearnerRecord record;
    testing::RecordingLearner learner(spec.spec(true, filled), record);
    upload_state(learner, training.model, filled, training.pool);
    EXPECT_EQ(record.tables.size(), learner_tables(training.model).size());
    TrainState back = testing::small_state(training.model);
    download_state(learner, training.model, back, training.pool);
    for (std::size_t table = 0; table < filled.weights.size(); ++table) {
      EXPECT_TRUE(std::ranges::equal(filled.weights[table].span(), back.weights[table].span()))
          << training.model.tables[table].name;
    }
    // Sums that blocks would lose come back exactly with the second journey.
    testing::LearnerRecord again;
    testing::RecordingLearner other(spec.spec(true, back), again);
    upload_state(other, training.model, back, training.pool);
    EXPECT_EQ(again.sums, record.sums);
  }
}

TEST(LearnerTables, KeepTheSumsThatABlockShares) {
  const SmallData data({.sparse = true, .one_in = 20});
  const DatasetView view = data.view();
  TrainConfig config;
  config.method = Method::kHsm;
  config.optimizer = OptimizerKind::kAdagrad;
  config.arity = 4;
  DeviceTraining training(view, config, Feed::kKept);
  training.run_epoch();
  EXPECT_FALSE(training.state.has_fine_sums(kClassTable));
  training.trainer->fetch_weights();
  ASSERT_TRUE(training.state.has_fine_sums(kClassTable));
  EXPECT_EQ(training.state.fine_sums[kClassTable],
            training.record.sums.at(device::Table::kClasses));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

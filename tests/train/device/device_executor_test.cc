#include "train/device/device_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cane/error.h"
#include "support/device_training.h"
#include "support/error_text.h"
#include "support/mapped_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::DeviceTraining;
using ::testing::HasSubstr;
using testing::SmallData;

TrainConfig softmax_in_batches_of(std::uint32_t batch) {
  TrainConfig config;
  config.method = Method::kSoftmax;
  config.batch = batch;
  config.lr = 0.5F;
  config.epochs = 4;
  return config;
}

// What the learner was given, row by row, beside the data.
void expect_all_rows(const DeviceTraining& training) {
  std::vector<int> seen(training.view.size(), 0);
  std::vector<float> scratch(training.view.dimension());
  for (const auto& step : training.record.steps) {
    for (std::size_t i = 0; i < step.examples.size(); ++i) {
      const std::uint32_t number = step.examples[i];
      ++seen[number];
      ASSERT_EQ(step.labels[i], training.view.label(number));
      ASSERT_EQ(step.weights[i], training.view.weight(number));
      std::vector<float> expected(training.view.dimension(), 0.0F);
      const RowView row = training.view.row(number, scratch);
      for (std::uint32_t p = 0; p < row.count; ++p) {
        expected[row.indices != nullptr ? row.indices[p] : p] = row.values[p];
      }
      ASSERT_EQ(step.rows[i], expected) << number;
    }
  }
  EXPECT_EQ(seen, std::vector<int>(training.view.size(), 1));
}

TEST(DeviceExecutor, GivesEveryExampleOnceInTheOrderOfTheProcessor) {
  for (const bool sparse : {false, true}) {
    for (const bool keeps_data : {true, false}) {
      SmallData data({.examples = 203, .sparse = sparse});
      std::vector<float> weights(203, 1.0F);
      weights[17] = 2.5F;
      data.set_weights(weights);
      const DatasetView view = data.view();
      DeviceTraining training(view, softmax_in_batches_of(16), keeps_data);
      EXPECT_EQ(training.trainer->batches_per_epoch(), 13U);
      EXPECT_TRUE(training.run_epoch());
      expect_all_rows(training);
      Shuffle order(view);
      order.start_epoch(training.model.config.seed, 0);
      std::vector<std::uint32_t> given;
      for (const auto& step : training.record.steps) {
        given.insert(given.end(), step.examples.begin(), step.examples.end());
      }
      EXPECT_THAT(given, ::testing::ElementsAreArray(order.order()));
    }
  }
}

// An encoder sees lists of features.
TEST(DeviceExecutor, GivesDenseRowsAsSparseOnesToAnEncoder) {
  const SmallData data({.examples = 60});
  TrainConfig config = softmax_in_batches_of(7);
  config.encoder = EncoderKind::kBag;
  config.dim = 8;
  for (const bool keeps_data : {true, false}) {
    DeviceTraining training(data.view(), config, keeps_data);
    EXPECT_TRUE(training.run_epoch());
    expect_all_rows(training);
  }
}

// As a training that holds examples out does.
TEST(DeviceExecutor, GivesTheRowsOfAPartOfTheData) {
  for (const bool sparse : {false, true}) {
    for (const bool keeps_data : {true, false}) {
      const SmallData data({.examples = 60, .sparse = sparse});
      const DatasetView all = data.view();
      std::vector<std::uint64_t> rows;
      std::vector<ClassId> labels;
      for (std::uint64_t i = 0; i < 60; i += 2) {
        rows.push_back(59 - i);
        labels.push_back(all.label(59 - i));
      }
      const DatasetView part = all.with_rows(rows, labels, {});
      DeviceTraining training(part, softmax_in_batches_of(7), keeps_data);
      EXPECT_TRUE(training.run_epoch());
      expect_all_rows(training);
    }
  }
}

TEST(DeviceExecutor, StreamsTheRowsOfAMappedFileThroughAWindow) {
  for (const bool dense : {false, true}) {
    const testing::MappedData data(300, dense);
    RowCopy window(data.view());
    TrainConfig config = softmax_in_batches_of(7);
    config.method = Method::kCane;
    config.select = SelectorKind::kNone;
    DeviceTraining training(data.view(), config, false, &window, 100);
    EXPECT_TRUE(training.run_epoch());
    expect_all_rows(training);
  }
}

TEST(DeviceExecutor, LowersTheRateAsTheProcessorDoes) {
  const SmallData data({.examples = 40});
  const DatasetView view = data.view();
  DeviceTraining training(view, softmax_in_batches_of(10), true);
  training.state.loop.epoch = 1;
  training.run_epoch();
  ASSERT_EQ(training.record.steps.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_FLOAT_EQ(training.record.steps[i].rate, 0.5F * (1.0F - (4.0F + float(i)) / 16.0F));
  }
}

TEST(DeviceExecutor, FetchesWeightsOnlyIfTheyHaveChanged) {
  const SmallData data({.examples = 40});
  const DatasetView view = data.view();
  DeviceTraining training(view, softmax_in_batches_of(10), true);
  training.trainer->fetch_weights();
  EXPECT_EQ(training.record.downloads, 0);
  training.run_epoch();
  training.trainer->fetch_weights();
  training.trainer->fetch_weights();
  EXPECT_EQ(training.record.downloads, 1);
  EXPECT_EQ(training.state.weights[kClassTable].span().back(), 4.0F);
}

TEST(DeviceExecutor, StopsAfterABatchAndGoesOnWithTheNext) {
  const SmallData data({.examples = 95});
  const DatasetView view = data.view();
  DeviceTraining training(view, softmax_in_batches_of(10), false);
  int batches = 0;
  EXPECT_FALSE(training.trainer->run_epoch([&] { return ++batches < 3; }));
  EXPECT_EQ(training.state.next_batch, 3U);
  EXPECT_EQ(training.state.totals.examples, 30U);
  EXPECT_TRUE(training.run_epoch());
  EXPECT_EQ(training.state.totals.examples, 95U);
  expect_all_rows(training);
}

TEST(DeviceExecutor, BoundsWhatIsQueued) {
  const SmallData data({.examples = 400});
  const DatasetView view = data.view();
  DeviceTraining training(view, softmax_in_batches_of(1), true);
  training.run_epoch();
  EXPECT_EQ(training.record.most_queued, 32U);
}

TEST(DeviceExecutor, EndsWhereTheLossExplodes) {
  const SmallData data({.examples = 400});
  const DatasetView view = data.view();
  DeviceTraining training(view, softmax_in_batches_of(1), true);
  training.record.loss = std::numeric_limits<double>::infinity();
  EXPECT_THAT(testing::error_text([&] { training.run_epoch(); }),
              HasSubstr("is no longer a number in epoch 1 after 32 examples"));
}

TEST(DeviceExecutor, NamesTheDeviceThatFails) {
  const SmallData data({.examples = 400});
  const DatasetView view = data.view();
  DeviceTraining training(view, softmax_in_batches_of(10), true);
  training.record.fails_after = 7;
  EXPECT_THROW(training.run_epoch(), DeviceError);
  EXPECT_EQ(testing::error_text([&] { training.run_epoch(); }),
            "`device cuda`: the device is lost");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "cane/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/error_text.h"
#include "support/stop_after.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::StopAfter;
using testing::TrainingFiles;

TEST(Dataset, SplitsIntoPartsThatTrainAndMeasure) {
  const TrainingFiles files;
  const Dataset data = files.train();
  const auto [rest, held_out] = split(data, 0.25, 1);
  EXPECT_EQ(rest.size(), 300U);
  EXPECT_EQ(held_out.size(), 100U);
  EXPECT_EQ(held_out.labels(), data.labels());
  EXPECT_EQ(rest.dimension(), data.dimension());
  const TrainResult result = train(rest, TrainingFiles::config(), nullptr, &held_out);
  EXPECT_GT(evaluate(result.model, held_out).accuracy, 0.8);
}

TEST(Dataset, TrainsOnASubsetOfAllAsOnAll) {
  const TrainingFiles files;
  const Dataset data = files.train();
  std::vector<std::uint32_t> everything(data.size());
  std::iota(everything.begin(), everything.end(), 0U);
  const auto log_loss = [&](const Dataset& examples) {
    return evaluate(train(examples, TrainingFiles::config()).model, files.test()).log_loss;
  };
  EXPECT_EQ(log_loss(data.subset(everything)), log_loss(data));
}

TEST(Dataset, ResumesTheTrainingOfASubsetWithTheSameSubsetOnly) {
  const TrainingFiles files;
  const auto parts = split(files.train(), 0.5, 1);
  const Dataset& rest = parts.first;
  const Dataset& held_out = parts.second;
  TrainConfig config = TrainingFiles::config();
  const TrainResult whole = train(rest, config);
  config.checkpoint_path = files.folder().path("subset.checkpoint");
  StopAfter stop(0);
  EXPECT_TRUE(train(rest, config, &stop).interrupted);
  config.resume = true;
  EXPECT_THAT(error_text([&] { train(held_out, config); }),
              ::testing::HasSubstr("other training data"));
  const TrainResult resumed = train(rest, config);
  EXPECT_EQ(evaluate(resumed.model, held_out).log_loss, evaluate(whole.model, held_out).log_loss);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

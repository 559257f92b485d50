#include "cane/dataset.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/training_files.h"

namespace cane {
namespace {

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

}  // namespace
}  // namespace cane

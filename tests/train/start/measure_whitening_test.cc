// Labels: threads
#include "train/start/measure_whitening.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "support/small_data.h"
#include "support/training.h"
#include "train/start/start_means.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;

constexpr std::uint32_t kClasses = 20;

SmallDataOptions many(FeatureId dimension = 12) {
  SmallDataOptions options;
  options.examples = 3000;
  options.dimension = dimension;
  return options;
}

std::shared_ptr<const Whitening> measure(const SmallData& data, int threads = 1) {
  ThreadPool pool(threads);
  return StartMeans(data.view(), kClasses, 1).whitening(pool);
}

// Mean of A's bias entry for the rows, and of |z|^2 within classes: the number of features.
TEST(MeasureWhitening, MakesTheSpreadWithinClassesThatOfUnitVariances) {
  for (const FeatureId dimension : {12U, Whitening::kMostCorrelated + 1}) {
    SmallData data(many(dimension));
    data.change_rows([](std::span<float> row) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = (row[i] + 5.0F) * (i % 3 ? 100 : 0.01F);
    });
    const auto whitening = measure(data);
    ThreadPool pool(1);
    const DatasetView view = data.view();
    StartMeans means(view, kClasses, 1);
    const auto centres = means.centres(pool);
    const std::size_t pitch = Whitening::row_pitch(dimension + 1);
    std::vector<float> scratch;
    std::vector<float> row_scratch(dimension);
    AlignedBuffer<float> inputs(2 * pitch);
    AlignedBuffer<float> turned(2 * pitch);
    double sum = 0.0;
    constexpr std::size_t kRows = 1000;
    for (std::size_t e = 0; e < kRows; ++e) {
      const RowView row = view.row(e, row_scratch);
      const RowView centre = centres[view.label(e)];
      for (std::size_t i = 0; i < dimension; ++i) {
        // From its centre, put at the mean of all rows.
        inputs.data()[i] = row.values[i] - centre.values[i] + whitening->mean()[i];
      }
      whitening->turn(inputs.data(), 1, pitch, scratch, turned.data());
      sum += whitening->product(inputs.data(), turned.data());
    }
    EXPECT_NEAR(sum / kRows, dimension, 0.1 * dimension);
  }
}

TEST(MeasureWhitening, SeesWhatFeaturesHaveInCommon) {
  SmallData data(many());
  // A common part hides the features: it is the same within classes and between them.
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  std::uint32_t example = 0;
  data.change_rows([&](std::span<float> row) {
    const auto common = static_cast<float>(20.0 * random.normal(example++, 0));
    for (float& value : row) value += common;
  });
  TrainConfig config;
  config.method = Method::kSoftmax;
  config.threads = 1;
  config.lr = 0.1F;
  config.start = StartKind::kMeans;
  testing::Training whitened(data, config);
  whitened.start();
  config.whiten = WhitenKind::kOff;
  testing::Training plain(data, config);
  plain.start();
  EXPECT_GT(whitened.accuracy(), 0.95);
  EXPECT_LT(plain.accuracy(), 0.7);
}

TEST(MeasureWhiteningThreads, IsTheSameForAnyNumberOfThreads) {
  const SmallData data(many(40));
  const std::vector<float> inputs = [] {
    std::vector<float> values(48, 0.5F);
    values[3] = -2.0F;
    return values;
  }();
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 4}) {
    std::vector<float> scratch;
    results.emplace_back(48);
    measure(data, threads)->turn(inputs.data(), 1, 48, scratch, results.back().data());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

// Classes of one example, features that never vary, fewer rows than features.
TEST(MeasureWhitening, TakesDataThatTellsLittle) {
  for (const std::uint32_t examples : {1U, 2U, 15U, 60U}) {
    SmallDataOptions options = many(30);
    options.examples = examples;
    SmallData data(options);
    data.change_rows([](std::span<float> row) { row[0] = 7.0F; });
    for (const float start : {0.0F, 1.0F}) {
      TrainConfig config;
      config.method = Method::kSoftmax;
      config.threads = 1;
      config.epochs = 2;
      config.lr = 0.1F / 30.0F;
      config.start = start > 0.0F ? StartKind::kMeans : StartKind::kZero;
      testing::Training run(data, config);
      run.start();
      run.run_all();
      for (const float weight : run.weights()) ASSERT_TRUE(std::isfinite(weight)) << examples;
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

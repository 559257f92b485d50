#include "engine/memory_estimate.h"

#include <gtest/gtest.h>

#include "engine/describe_model.h"
#include "search/candidate_memory.h"
#include "support/error_text.h"
#include "support/small_dataset.h"
#include "support/training.h"
#include "support/training_files.h"
#include "train/device/row_feed.h"
#include "train/train_state.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallDataOptions;
using testing::TrainingFiles;

class MemoryEstimateTest : public ::testing::Test {
 protected:
  TrainEstimate estimate(TrainConfig config, const LoadedData* validation = nullptr) {
    StartSource source(data_, config.seed);
    model_ = describe_model(source, config, pool_);
    return estimate_memory(data_.data(), model_, pool_.threads(), validation);
  }

  TrainingFiles files_;
  Dataset data_ = files_.train();
  ThreadPool pool_{2};
  ModelData model_;
};

TEST_F(MemoryEstimateTest, OfWeightsAndOptimizerIsWhatTheyTake) {
  for (const auto optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
    TrainConfig config = TrainingFiles::config();
    config.optimizer = optimizer;
    const TrainEstimate parts = estimate(config);
    TrainState state = make_train_state(model_.tables, model_.config);
    std::uint64_t weights = 0;
    std::uint64_t accumulators = 0;
    for (std::size_t table = 0; table < state.weights.size(); ++table) {
      weights += state.weights[table].span().size_bytes();
      accumulators += state.optimizers[table]->state().size_bytes();
    }
    EXPECT_EQ(parts.model_bytes, weights);
    EXPECT_EQ(parts.optimizer_bytes, accumulators);
  }
}

TEST_F(MemoryEstimateTest, OfTheDataIsWhatItsArraysTake) {
  const DatasetView& view = data_.data().view;
  std::uint64_t expected = view.size() * sizeof(ClassId);
  std::vector<float> scratch(view.dimension());
  for (std::size_t i = 0; i < view.size(); ++i) {
    const RowView row = view.row(i, scratch);
    expected += row.count * (row.indices == nullptr ? 4U : 8U) + (row.indices == nullptr ? 0 : 8U);
  }
  EXPECT_EQ(estimate(TrainingFiles::config()).data_bytes, expected);
}

TEST_F(MemoryEstimateTest, OfADeviceCountsWhatPassesThroughTheHost) {
  TrainConfig config = TrainingFiles::config();
  config.method = Method::kCane;
  config.select = SelectorKind::kNone;
  config.candidates = 0;
  config.device = "cuda";
  const TrainEstimate one = estimate(config);
  config.batch = 8 * model_.config.batch;
  EXPECT_EQ(estimate(config).workspace_bytes, one.workspace_bytes) << "batches are elsewhere";
  EXPECT_EQ(one.workspace_bytes, kKeptAtOnce + data_.size() * sizeof(std::uint32_t));
}

TEST_F(MemoryEstimateTest, CountsWhatIsRememberedAndTheBestWeights) {
  TrainConfig config = TrainingFiles::config();
  config.select = SelectorKind::kNarrow;
  config.reuse = 1;
  const TrainEstimate plain = estimate(config);
  const TrainEstimate best = estimate(config, &data_.data());
  EXPECT_EQ(best.workspace_bytes, plain.workspace_bytes + plain.model_bytes);
  EXPECT_EQ(best.data_bytes, 2 * plain.data_bytes);
  config.reuse = 5;
  const TrainEstimate remembering = estimate(config);
  EXPECT_EQ(remembering.workspace_bytes,
            plain.workspace_bytes + CandidateMemory::bytes(data_.size(), model_.config.beam));
}

TEST_F(MemoryEstimateTest, OfThePeakIsThatOfTheLargestPhase) {
  TrainEstimate estimate;
  estimate.program_bytes = 1;
  estimate.model_bytes = 100;
  estimate.start_bytes = 20;
  EXPECT_EQ(estimate.total_bytes(), 121U);
  estimate.workspace_bytes = 15;
  estimate.copy_bytes = 10;
  EXPECT_EQ(estimate.total_bytes(), 126U);
  estimate.pilot_bytes = 200;
  EXPECT_EQ(estimate.total_bytes(), 201U);
}

TEST_F(MemoryEstimateTest, OfAPilotGrowsWithWhatItTrainsAtOnce) {
  const TrainEstimate whole = estimate(TrainingFiles::config());
  const auto pilot = [&](std::size_t classes, int threads) {
    return estimate_pilot(data_.data(), model_, whole, classes, threads);
  };
  const std::size_t classes = data_.classes();
  EXPECT_EQ(pilot(0, 4), 0U);
  EXPECT_GE(pilot(classes, 1), whole.model_bytes);
  EXPECT_GE(pilot(classes, 4), 2 * whole.model_bytes);
  EXPECT_EQ(pilot(classes, 4), pilot(classes, 2)) << "two rates";
  EXPECT_EQ(pilot(classes, 4), pilot(classes, 2)) << "two rates";
  EXPECT_GT(pilot(classes, 4), pilot(classes, 1));
  EXPECT_LT(pilot(classes / 2, 2), pilot(classes, 2));
}

TEST(CheckMemory, SaysWhatIsNeededBeforeItIsMissing) {
  TrainEstimate estimate;
  estimate.data_bytes = std::uint64_t{1} << 40;  // is there already
  estimate.model_bytes = std::uint64_t{3} << 30;
  estimate.workspace_bytes = std::uint64_t{2} << 30;
  estimate.free_bytes = std::uint64_t{4} << 30;
  EXPECT_EQ(testing::error_text([&] { check_memory(estimate); }),
            "training needs 5.0 GiB more memory (3.0 GiB for the weights), and 4.0 GiB are free; "
            "use fewer features (`min_count`, `hash_bits`), `optimizer sgd`, a smaller `batch`, "
            "or more machines that each have some of the classes (`parallel classes`)");
  estimate.free_bytes = std::uint64_t{5} << 30;
  EXPECT_NO_THROW(check_memory(estimate));
  estimate.free_bytes = 0;
  EXPECT_NO_THROW(check_memory(estimate)) << "not known";
}

TEST(ClassMemoryEstimate, OfARankIsItsShare) {
  SmallDataOptions options;
  options.classes = 4096;
  options.examples = 5000;
  const Dataset data = testing::small_dataset(options);
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kNone;
  config.encoder = EncoderKind::kBag;
  const ModelData model = testing::small_model(data.data().view, config, options.classes);
  const TrainEstimate one = estimate_memory(data.data(), model, 1);
  for (const int ranks : {1, 2, 4, 8, 64}) {
    const TrainEstimate each = estimate_class_memory(data.data(), model, 1, false, ranks);
    const std::uint64_t encoder = model.tables[1].layout.size() * sizeof(float);
    EXPECT_EQ(each.model_bytes,
              (one.model_bytes - encoder) / static_cast<std::uint64_t>(ranks) + encoder);
    EXPECT_EQ(each.data_bytes, one.data_bytes);
  }
  const TrainEstimate best = estimate_class_memory(data.data(), model, 1, true, 8);
  const TrainEstimate last = estimate_class_memory(data.data(), model, 1, false, 8);
  EXPECT_EQ(best.workspace_bytes, last.workspace_bytes + last.model_bytes);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

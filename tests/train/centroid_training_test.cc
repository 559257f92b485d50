// Labels: threads
// Training with an index over many classes, and a search that is narrow: what it finds depends on
// when and how the index was made.
#include <gtest/gtest.h>

#include "support/small_data.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::Training;

constexpr std::uint32_t kClasses = 400;

class CentroidTrainingThreads : public ::testing::Test {
 protected:
  CentroidTrainingThreads() : data_(options()) {
    config_.method = Method::kCane;
    config_.select = SelectorKind::kCentroid;
    config_.candidates = 2;
    config_.beam = 3;
    config_.lr = 0.1F;
    config_.epochs = 2;
    config_.batch = 16;
    config_.threads = 2;
    config_.deterministic = true;
  }
  static testing::SmallDataOptions options() {
    testing::SmallDataOptions options;
    options.classes = kClasses;
    options.examples = 800;
    options.dimension = 10;
    options.noise = 1.0F;
    return options;
  }
  std::vector<float> weights_after(std::uint64_t stop_after) const {
    Training run(data_, config_, kClasses);
    run.start();
    std::uint64_t batches = 0;
    if (stop_after > 0) {
      EXPECT_FALSE(run.trainer.run_epoch([&] { return ++batches < stop_after; }));
    }
    run.run_all();
    return run.weights();
  }

  SmallData data_;
  TrainConfig config_;
};

TEST_F(CentroidTrainingThreads, GivesTheSameBitsForAnyNumberOfThreads) {
  config_.threads = 1;
  const auto one = weights_after(0);
  config_.threads = 4;
  EXPECT_EQ(one, weights_after(0));
}

// 50 batches an epoch, and a new index after every 13 of them.
TEST_F(CentroidTrainingThreads, GoesOnToTheSameBitsFromWhereAnIndexIsMadeAnyway) {
  const auto whole = weights_after(0);
  EXPECT_EQ(whole, weights_after(39));
  EXPECT_NE(whole, weights_after(20));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

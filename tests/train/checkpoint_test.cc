#include <gtest/gtest.h>

#include "cane/cane.h"
#include "support/temporary_folder.h"

namespace cane {
namespace {

// The optimiser's state may be an odd number of floats; what follows it in the file must not mind.
TEST(Checkpoint, HoldsAnOptimizerStateOfAnyLength) {
  const testing::TemporaryFolder folder;
  DataOptions reading;
  reading.use_cache = false;
  TrainConfig config;
  config.optimizer = OptimizerKind::kAdagrad;
  config.epochs = 2;
  config.checkpoint_path = folder.path("model.checkpoint");
  for (const char* text : {"a 1:1\nb 2:1\nc 3:1\n", "a 1:1\nb 2:1\nc 4:1\n"}) {
    const Dataset data = Dataset::load(folder.write("train.svm", text), reading);
    EXPECT_EQ(train(data, config).epochs, 2U);
  }
}

}  // namespace
}  // namespace cane

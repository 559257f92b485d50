#include "engine/class_memory.h"

#include <gtest/gtest.h>

#include "engine/memory_estimate.h"
#include "support/small_dataset.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;

TEST(ClassMemory, OfARankIsItsShare) {
  SmallDataOptions options;
  options.classes = 4096;
  options.examples = 5000;
  const Dataset data = testing::small_dataset(options);
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kNarrow;
  const ModelData model = testing::small_model(data.data().view, config, options.classes);
  const TrainEstimate one = estimate_memory(data.data(), model, 1, false);
  for (const int ranks : {1, 2, 4, 8, 64}) {
    const TrainEstimate each = estimate_class_memory(data.data(), model, 1, false, ranks);
    const std::uint64_t projection = model.tables[kProjectionTable].layout.size() * sizeof(float);
    EXPECT_EQ(each.model_bytes,
              (one.model_bytes - projection) / static_cast<std::uint64_t>(ranks) + projection);
    EXPECT_EQ(each.data_bytes, one.data_bytes);
  }
  const TrainEstimate best = estimate_class_memory(data.data(), model, 1, true, 8);
  const TrainEstimate last = estimate_class_memory(data.data(), model, 1, false, 8);
  EXPECT_EQ(best.workspace_bytes, last.workspace_bytes + last.model_bytes);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

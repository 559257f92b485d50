// Whole trainings with `device cuda`, over the plug-in that emulates a GPU on the host: everything
// but the GPU itself.
#include "engine/device_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "cane/cane.h"
#include "engine/describe_model.h"
#include "methods/device.h"
#include "methods/resolve.h"
#include "support/error_text.h"
#include "support/method_rows.h"
#include "support/plugin_path.h"
#include "support/small_dataset.h"
#include "support/stop_after.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;
using testing::PluginPath;
using testing::small_dataset;

// The memory of the emulated device.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t bytes) {
    ::setenv("CANE_HOST_EMULATION_MEMORY", std::to_string(bytes).c_str(), 1);
  }
  ~DeviceMemory() { ::unsetenv("CANE_HOST_EMULATION_MEMORY"); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
};

TrainConfig on_device(TrainConfig config) {
  config.device = "cuda";
  config.threads = 2;
  config.pilot = PilotKind::kOff;
  return config;
}

std::vector<float> weights_of(const Model& model) {
  std::vector<float> all;
  const ModelData& data = model.data();
  for (std::size_t table = 0; table < data.tables.size(); ++table) {
    const auto weights = float_weights(data, table);
    all.insert(all.end(), weights.begin(), weights.end());
  }
  return all;
}

double accuracy_of(const Model& model, const Dataset& data) {
  EvaluateOptions options;
  options.probability = Probability::kNone;
  return evaluate(model, data, options).accuracy;
}

bool is_there(TrainConfig config, const Dataset& data) {
  config.device = "cuda";
  try {
    resolve(config, facts_of(data.data().view, static_cast<std::uint32_t>(data.classes())));
  } catch (const OptionError&) {
    return false;
  }
  return true;
}

// Configurations that a device trains, one of each kind of step, table and optimiser.
std::vector<TrainConfig> some_configs() {
  std::vector<TrainConfig> configs(4);
  configs[0].method = Method::kSoftmax;
  configs[1].method = Method::kCane;
  configs[1].select = SelectorKind::kNone;
  configs[1].noises = 12;
  configs[2].method = Method::kSoftmax;
  configs[2].encoder = EncoderKind::kBag;
  configs[2].dim = 8;
  configs[3].method = Method::kCane;
  configs[3].select = SelectorKind::kFrequent;
  configs[3].candidates = 6;
  configs[3].noises = 12;
  configs[3].optimizer = OptimizerKind::kAdagrad;
  for (TrainConfig& config : configs) {
    config = on_device(config);
    config.epochs = 3;
  }
  return configs;
}

class DeviceTrainingOf : public ::testing::TestWithParam<testing::MethodRow> {};

TEST_P(DeviceTrainingOf, LearnsAsOnTheProcessorOrIsRefused) {
  const PluginPath path("host");
  TrainConfig config = on_device(testing::short_training(GetParam()));
  for (const bool sparse : {false, true}) {
    const Dataset data = small_dataset({.sparse = sparse});
    TrainConfig here = config;
    here.device = TrainConfig::kProcessor;
    const Model usual = train(data, here).model;
    if (!is_there(usual.config(), data)) {
      EXPECT_THAT(testing::error_text([&] { train(data, config); }), HasSubstr("`device`: cuda"));
      continue;
    }
    const TrainResult trained = train(data, config);
    EXPECT_EQ(trained.epochs, config.epochs);
    EXPECT_EQ(trained.model.config().device, "cpu") << "a model does not remember it";
    EXPECT_GE(accuracy_of(trained.model, data), accuracy_of(usual, data) - 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryRow, DeviceTrainingOf, ::testing::ValuesIn(testing::method_rows()),
                         testing::RowName());

TEST(DeviceTraining, GivesTheSameBitsEveryTime) {
  const PluginPath path("host");
  const Dataset data = small_dataset({.sparse = true});
  for (const TrainConfig& config : some_configs()) {
    EXPECT_EQ(weights_of(train(data, config).model), weights_of(train(data, config).model));
  }
}

TEST(DeviceTraining, GoesOnExactlyWhereItWasInterrupted) {
  const PluginPath path("host");
  const testing::TemporaryFolder folder;
  const Dataset data = small_dataset({.sparse = true});
  for (TrainConfig config : some_configs()) {
    SCOPED_TRACE(name_of(config.method));
    const std::vector<float> expected = weights_of(train(data, config).model);
    config.checkpoint_path = folder.path("m.checkpoint");
    testing::StopAfter stop(40);
    const TrainResult interrupted = train(data, config, &stop);
    ASSERT_TRUE(interrupted.interrupted);
    config.resume = true;
    const TrainResult resumed = train(data, config);
    EXPECT_EQ(resumed.epochs, 3U);
    EXPECT_TRUE(weights_of(resumed.model) == expected);
  }
}

TEST(DeviceTraining, ChangesBetweenDeviceAndProcessor) {
  const PluginPath path("host");
  const testing::TemporaryFolder folder;
  const Dataset data = small_dataset({});
  for (TrainConfig config : some_configs()) {
    for (const bool begins_on_device : {true, false}) {
      SCOPED_TRACE(name_of(config.method));
      config.resume = false;
      config.epochs = 6;
      config.checkpoint_path = folder.path("m.checkpoint");
      config.device = begins_on_device ? "cuda" : "cpu";
      testing::StopAfter stop(10);
      ASSERT_TRUE(train(data, config, &stop).interrupted);
      config.resume = true;
      config.device = begins_on_device ? "cpu" : "cuda";
      const TrainResult resumed = train(data, config);
      EXPECT_EQ(resumed.epochs, 6U);
      EXPECT_GE(accuracy_of(resumed.model, data), 0.7);
    }
  }
}

TEST(DeviceTraining, StreamsWhatDoesNotFitWithTheSameResult) {
  const PluginPath path("host");
  for (const bool sparse : {false, true}) {
    const Dataset data = small_dataset({.examples = 3000, .sparse = sparse});
    TrainConfig config = on_device({});
    config.method = Method::kCane;
    config.select = SelectorKind::kNone;
    config.epochs = 1;
    const TrainEstimate all = estimate_training(data, config);
    ASSERT_TRUE(all.device && all.device->keeps_data);
    const std::vector<float> kept = weights_of(train(data, config).model);
    const DeviceMemory too_little_for_all(all.device->needed_bytes);
    const TrainEstimate part = estimate_training(data, config);
    ASSERT_EQ(part.device->problem, "");
    EXPECT_FALSE(part.device->keeps_data);
    EXPECT_LT(part.device->needed_bytes, all.device->needed_bytes);
    EXPECT_TRUE(weights_of(train(data, config).model) == kept);
  }
}

TEST(DeviceTraining, SaysHowMuchMemoryIsMissing) {
  const PluginPath path("host");
  const DeviceMemory memory(4096);
  const Dataset data = small_dataset({});
  const TrainConfig config = some_configs().front();
  EXPECT_THROW(train(data, config), DeviceError);
  EXPECT_THAT(testing::error_text([&] { train(data, config); }),
              HasSubstr("with the examples streamed, and 4.0 KiB of the 4.0 KiB of the host "
                        "emulation are free"));
  const TrainEstimate estimate = estimate_training(data, config);
  ASSERT_TRUE(estimate.device);
  EXPECT_GT(estimate.device->needed_bytes, 4096U);
  EXPECT_THAT(estimate.device->problem, HasSubstr("training needs"));
  EXPECT_EQ(estimate.seconds, 0.0);
}

TEST(DeviceTraining, IsEstimatedWithTheDevice) {
  const PluginPath path("host");
  const Dataset data = small_dataset({});
  const TrainEstimate estimate = estimate_training(data, some_configs().front());
  ASSERT_TRUE(estimate.device);
  EXPECT_EQ(estimate.device->name, "host emulation");
  EXPECT_TRUE(estimate.device->keeps_data);
  EXPECT_GT(estimate.device->needed_bytes, 0U);
  EXPECT_GT(estimate.seconds, 0.0);
}

TEST(DeviceTraining, KeepsTheBestEpochAndStopsEarly) {
  const PluginPath path("host");
  const Dataset data = small_dataset({});
  const Dataset valid = small_dataset({.examples = 200, .seed = 5});
  TrainConfig config = some_configs().front();
  config.epochs = 60;
  config.patience = 2;
  const TrainResult result = train(data, config, nullptr, &valid);
  EXPECT_TRUE(result.stopped_early);
  EXPECT_LT(result.epochs, 60U);
  EXPECT_GE(accuracy_of(result.model, valid), 0.8);
}

TEST(DeviceTraining, TrainsAFinishedModelFurther) {
  const PluginPath path("host");
  const Dataset data = small_dataset({});
  TrainConfig config = some_configs()[1];
  config.device = "cpu";
  const Model model = train(data, config).model;
  config = on_device(model.config());
  config.epochs = 2;
  const TrainResult further = continue_training(model, data, config);
  EXPECT_GE(accuracy_of(further.model, data), 0.8);
  EXPECT_FALSE(weights_of(further.model) == weights_of(model));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

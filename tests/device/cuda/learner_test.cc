// The learner of the plug-in on a GPU: it conforms with the step of the processor, and says how
// much memory it takes.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "conformance/device_step.h"

namespace cane {
namespace CANE_THIS_FILE {

using device::DevicePlugin;

const DevicePlugin& plugin() {
  static const DevicePlugin* const found = [] {
    void* library = dlopen(CANE_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto function =
        reinterpret_cast<device::PluginFunction>(dlsym(library, device::kPluginFunction));
    return static_cast<const DevicePlugin*>(function());
  }();
  return *found;
}

/// Why there is no GPU to test on; empty: there is one.
std::string why_not() {
  try {
    return plugin().count() > 0 ? "" : "no GPU was found";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

class GpuStep : public ::testing::TestWithParam<testing::StepCase> {};

TEST_P(GpuStep, LearnsWhatTheTeamOfTheProcessorDoes) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  testing::expect_conformance(
      GetParam(), [](const device::LearnerSpec& spec) { return plugin().make_learner(spec, 0); });
}

INSTANTIATE_TEST_SUITE_P(Cases, GpuStep, testing::step_cases(), testing::StepCaseName());

TEST(GpuPlugin, HasTheVersionOfTheProgram) {
  EXPECT_EQ(plugin().interface_version, device::kInterfaceVersion);
}

TEST(GpuPlugin, SaysHowMuchMemoryALearnerNeedsAndWhenThereIsTooLittle) {
  device::LearnerSpec spec;
  spec.classes = {.rows = 100'000, .columns = 65, .pitch = 72, .sums = 6'500'000};
  spec.dimension = 64;
  spec.batch = 256;
  spec.columns = 5000;
  EXPECT_GT(plugin().needed_bytes(spec), 4U * (72 + 65) * 100'000);
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  const device::DeviceFacts facts = plugin().facts(0);
  EXPECT_GT(std::string(facts.name).size(), 0U);
  EXPECT_GE(facts.memory, facts.free_memory);
  const auto learner = plugin().make_learner(spec, 0);
  const std::uint64_t taken = facts.free_memory - plugin().facts(0).free_memory;
  // Kernels are loaded later, and an allocation may take a few pages more than it asked for.
  EXPECT_LT(taken, plugin().needed_bytes(spec) + (64U << 20));
  EXPECT_LT(plugin().needed_bytes(spec), taken + (512U << 20));
  spec.kept_examples = 1ULL << 40;
  try {
    plugin().make_learner(spec, 0);
    FAIL() << "there is no such GPU";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("MiB"), std::string::npos) << error.what();
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

// Products in full float32, so that the processor can be compared with.
int main(int count, char** arguments) {
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}

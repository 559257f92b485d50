// The learner of a GPU on the host, with one lane for each item and with several of them.
#include "conformance/device_step.h"

#include "device/fiber_lanes.h"
#include "device/host_backend.h"
#include "device/learner_on.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::StepCase;

class DeviceStep : public ::testing::TestWithParam<StepCase> {};

TEST_P(DeviceStep, LearnsWhatTheTeamOfTheProcessorDoes) {
  testing::expect_conformance(GetParam(), device::make_host_learner);
}

INSTANTIATE_TEST_SUITE_P(Cases, DeviceStep, testing::step_cases(), testing::StepCaseName());

class DeviceLanes : public ::testing::TestWithParam<StepCase> {};

// A value that is read before the lanes have waited for each other differs with their order.
TEST_P(DeviceLanes, WaitForWhatTheyReadOfEachOther) {
  testing::StepTraining training(GetParam());
  const auto make = [](std::uint32_t lanes, bool is_backward) {
    return [=](const device::LearnerSpec& spec) {
      return std::make_unique<device::LearnerOn<testing::FiberBackend>>(spec, lanes, is_backward);
    };
  };
  const auto one = training.on_device(device::make_host_learner, true);
  for (const std::uint32_t lanes : {2U, 5U}) {
    const auto forward = training.on_device(make(lanes, false), true);
    const auto backward = training.on_device(make(lanes, true), true);
    EXPECT_EQ(forward.numbers, backward.numbers);
    EXPECT_EQ(forward.totals.loss, backward.totals.loss);
    for (std::size_t i = 0; i < one.numbers.size(); ++i) {
      ASSERT_NEAR(forward.numbers[i], one.numbers[i], 1e-3F) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DeviceLanes,
    ::testing::Combine(::testing::Values(testing::ListKind{"softmax"},
                                         testing::ListKind{"none", SelectorKind::kNone, 9}),
                       ::testing::Values(testing::Input::kSparse, testing::Input::kBag),
                       ::testing::Values(OptimizerKind::kAdagrad),
                       ::testing::Values(testing::StepShape{30, 17, 13})),
    testing::StepCaseName());

}  // namespace CANE_THIS_FILE
}  // namespace cane

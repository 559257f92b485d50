#include "device/open_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/plugin_path.h"
#include "support/temporary_folder.h"

namespace cane::device {
namespace CANE_THIS_FILE {

using cane::testing::error_text;
using cane::testing::PluginPath;
using ::testing::HasSubstr;

std::string refusal(const std::string& plugin, const std::string& device = "cuda") {
  const PluginPath path(plugin);
  EXPECT_THROW(open_device(device), DeviceError);
  return error_text([&] { open_device(device); });
}

TEST(OpenDevice, SaysWhatIsMissingAndWhatToDo) {
  const cane::testing::TemporaryFolder nothing;
  EXPECT_THAT(refusal(nothing.path("")),
              HasSubstr("`device cuda`: the plug-in libcane_cuda.so is not installed; build it "
                        "with `make gpu`"));
  EXPECT_THAT(refusal("other_version"), HasSubstr("install both from the same release"));
  EXPECT_THAT(refusal("no_driver"), HasSubstr("CUDA driver version is insufficient"));
  EXPECT_THAT(refusal("no_driver"), HasSubstr("nvidia-smi"));
  EXPECT_THAT(refusal("no_device"), HasSubstr("there is no GPU here"));
  EXPECT_THAT(refusal("too_small", "cuda:2"), HasSubstr("there are 2 GPUs here"));
}

TEST(OpenDevice, GivesTheDeviceOfItsNumber) {
  const PluginPath path("too_small");
  const OpenDevice device = open_device("cuda:1");
  EXPECT_EQ(device.number, 1);
  EXPECT_EQ(device.option, "device cuda:1");
  EXPECT_STREQ(device.facts.name, "too small");
}

TEST(OpenDevice, ReportsThePluginsThatAreThere) {
  {
    const PluginPath path("no_driver");
    ASSERT_EQ(report_plugins().size(), 1U);
    EXPECT_THAT(report_plugins().front().problem, HasSubstr("driver"));
  }
  const PluginPath path("too_small");
  ASSERT_EQ(report_plugins().size(), 1U);
  EXPECT_EQ(report_plugins().front().devices.size(), 2U);
  EXPECT_EQ(report_plugins().front().problem, "");
}

TEST(OpenDevice, MakesDeviceErrorsOfWhatAPluginThrows) {
  EXPECT_THROW(on_device("device cuda", [] { throw std::runtime_error("lost"); }), DeviceError);
  EXPECT_EQ(error_text([] { on_device("device cuda", [] { throw std::runtime_error("lost"); }); }),
            "`device cuda`: lost");
  EXPECT_THROW(on_device("device cuda", [] { throw NonFiniteError("a number"); }), NonFiniteError);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::device

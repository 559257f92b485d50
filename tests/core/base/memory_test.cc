#include "core/base/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TemporaryFolder;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

TEST(ControlGroup, OfVersion2GivesWhatTheStrictestGroupHasLeft) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("box/job"));
  const std::string membership = folder.write("membership", "0::/box/job\n");
  folder.write("box/memory.max", "1000\n");
  folder.write("box/memory.current", "700\n");
  folder.write("box/memory.stat", "anon 400\nactive_file 100\ninactive_file 200\n");
  folder.write("box/job/memory.max", "max\n");
  folder.write("box/job/memory.current", "600\n");
  EXPECT_EQ(control_group_memory(membership, folder.path("")), 600U);
  folder.write("box/job/memory.max", "650\n");
  EXPECT_EQ(control_group_memory(membership, folder.path("")), 50U);
  folder.write("box/job/memory.current", "800\n");
  EXPECT_EQ(control_group_memory(membership, folder.path("")), 0U);
}

TEST(ControlGroup, OfVersion1IsFoundByItsController) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("memory"));
  // Seen from inside of a container the path begins outside of what is mounted.
  const std::string membership =
      folder.write("membership", "5:cpu,cpuacct:/x\n4:memory:/of/the/host\n1:name=a:/\n");
  folder.write("memory/memory.limit_in_bytes", "1000\n");
  folder.write("memory/memory.usage_in_bytes", "300\n");
  folder.write("memory/memory.stat", "inactive_file 7\ntotal_inactive_file 100\n");
  EXPECT_EQ(control_group_memory(membership, folder.path("")), 800U);
}

TEST(ControlGroup, WithoutALimitTakesNothingAway) {
  const TemporaryFolder folder;
  EXPECT_EQ(control_group_memory(folder.path("none"), folder.path("")), kNoLimit);
  const std::string membership = folder.write("membership", "0::/\nnonsense\n");
  EXPECT_EQ(control_group_memory(membership, folder.path("")), kNoLimit);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

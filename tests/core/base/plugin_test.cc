#include "core/base/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "device/learner.h"
#include "support/plugin_path.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;
using testing::PluginPath;
using testing::TemporaryFolder;

LoadedPlugin load() {
  return load_plugin("cuda", device::kPluginFunction, device::kInterfaceVersion);
}

std::string text(const LoadedPlugin& plugin) {
  return problem_text(plugin, "cuda", device::kInterfaceVersion, "make gpu");
}

TEST(Plugin, IsLookedForInTheFoldersOfTheUserAloneAndInTheirOrder) {
  const TemporaryFolder first;
  const TemporaryFolder second;
  const std::string file = second.write(plugin_file("cuda"), "");
  const PluginPath path(first.path("") + "::" + second.path(""));
  EXPECT_EQ(std::filesystem::weakly_canonical(find_plugin("cuda")),
            std::filesystem::weakly_canonical(file));
  first.write(plugin_file("cuda"), "");
  EXPECT_TRUE(std::filesystem::equivalent(find_plugin("cuda"), first.path(plugin_file("cuda"))));
  EXPECT_EQ(plugin_folders().size(), 2U);
}

TEST(Plugin, IsLookedForBesideTheProgramAndUnderItsPrefix) {
  ::unsetenv(kPluginPathVariable);
  const std::vector<std::filesystem::path> folders = plugin_folders();
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_THAT(folders, ::testing::IsSupersetOf({own, own / "cane"}));
  EXPECT_EQ(folders.back().parent_path().parent_path().string().find(own.parent_path().string()),
            0);
  EXPECT_EQ(folders.back().filename(), "cane");
}

TEST(Plugin, ThatIsMissingIsReportedWithTheFoldersAndTheRemedy) {
  const TemporaryFolder folder;
  const PluginPath path(folder.path(""));
  const LoadedPlugin plugin =
      load_plugin("of_nobody", device::kPluginFunction, device::kInterfaceVersion);
  EXPECT_EQ(plugin.problem, PluginProblem::kMissing);
  EXPECT_EQ(plugin.table, nullptr);
  const std::string message = problem_text(plugin, "of_nobody", 1, "make nothing");
  EXPECT_THAT(message, HasSubstr("libcane_of_nobody.so is not installed"));
  EXPECT_THAT(message, HasSubstr("make nothing"));
  EXPECT_THAT(message, HasSubstr(folder.path("")));
}

TEST(Plugin, ThatIsNoLibraryIsReportedWithWhatTheSystemSays) {
  const TemporaryFolder folder;
  folder.write(plugin_file("cuda"), "no library");
  const PluginPath path(folder.path(""));
  const LoadedPlugin plugin = load();
  EXPECT_EQ(plugin.problem, PluginProblem::kUnloadable);
  EXPECT_THAT(text(plugin), HasSubstr("cannot be loaded: "));
}

TEST(Plugin, WithoutItsFunctionIsRefused) {
  const PluginPath path("no_plugin");
  const LoadedPlugin plugin = load();
  EXPECT_EQ(plugin.problem, PluginProblem::kNoPlugin);
  EXPECT_THAT(text(plugin), HasSubstr("is no plug-in of cane"));
}

TEST(Plugin, OfAnotherVersionIsRefused) {
  const PluginPath path("other_version");
  const LoadedPlugin plugin = load();
  EXPECT_EQ(plugin.problem, PluginProblem::kWrongVersion);
  EXPECT_EQ(plugin.table, nullptr);
  EXPECT_THAT(text(plugin), HasSubstr("has interface 999999, and this cane needs"));
}

TEST(Plugin, OfThisVersionGivesItsTable) {
  const PluginPath path("no_device");
  const LoadedPlugin plugin = load();
  EXPECT_EQ(plugin.problem, PluginProblem::kNone);
  ASSERT_NE(plugin.table, nullptr);
  EXPECT_EQ(static_cast<const device::DevicePlugin*>(plugin.table)->count(), 0);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

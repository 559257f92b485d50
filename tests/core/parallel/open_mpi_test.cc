#include "core/parallel/open_mpi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cane/version.h"
#include "core/base/plugin.h"
#include "support/error_text.h"
#include "support/plugin_path.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::AllOf;
using ::testing::EndsWith;
using testing::error_text;
using ::testing::HasSubstr;
using testing::plugin_folder;
using testing::PluginPath;
using testing::TemporaryFolder;

// What `cane version` lists of the plug-in for MPI; nothing if it lists none.
std::string listed_problem() {
  for (const Plugin& plugin : plugins()) {
    if (plugin.name == "mpi") return plugin.problem;
  }
  return "";
}

TEST(OpenMpi, NamesTheRemedyIfThePluginIsMissing) {
  const TemporaryFolder folder;
  const PluginPath path(folder.path(""));
  EXPECT_THAT(error_text([] { open_mpi(); }),
              AllOf(HasSubstr("libcane_mpi.so is not installed"), HasSubstr("CANE_BUILD_MPI=ON"),
                    EndsWith(", or start one process")));
  EXPECT_EQ(report_mpi().path, "");
  EXPECT_EQ(listed_problem(), "");
}

TEST(OpenMpi, RefusesALibraryThatIsNoPluginForMpi) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(plugin_folder("no_plugin") + "/" + plugin_file("cuda"),
                             folder.path(plugin_file("mpi")));
  const PluginPath path(folder.path(""));
  EXPECT_THAT(error_text([] { open_mpi(); }), HasSubstr("is no plug-in of cane"));
  EXPECT_THAT(report_mpi().path, EndsWith("libcane_mpi.so"));
  EXPECT_THAT(listed_problem(), HasSubstr("is no plug-in of cane"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

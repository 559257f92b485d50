#include "core/parallel/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::Pair;

std::pair<int, int> launched_with(const std::map<std::string, const char*>& variables) {
  const Launch launch = launch_of([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  });
  return {launch.rank, launch.ranks};
}

TEST(Launch, RecognisesTheUsualLaunchers) {
  EXPECT_THAT(launched_with({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}),
              Pair(3, 4));
  EXPECT_THAT(launched_with({{"PMI_SIZE", "3"}, {"PMI_RANK", "2"}}), Pair(2, 3));
  EXPECT_THAT(launched_with({{"SLURM_STEP_NUM_TASKS", "2"}, {"PMIX_RANK", "1"}}), Pair(1, 2));
}

TEST(Launch, DoesNotTakeAnAllocationForARank) {
  EXPECT_THAT(launched_with({}), Pair(0, 1));
  EXPECT_THAT(launched_with({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}), Pair(0, 1));
  EXPECT_THAT(launched_with({{"SLURM_STEP_NUM_TASKS", "8"}}), Pair(0, 1));
  EXPECT_THAT(launched_with({{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}}), Pair(0, 1));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "core/parallel/launch.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "cane/error.h"
#include "core/base/plugin.h"
#include "core/parallel/open_mpi.h"

namespace cane {
namespace {

// The variables that a launcher sets. The second variable is set for ranks only: an allocation of
// Slurm gives the number of tasks to its script as well, and starts programs without MPI, too.
struct Launcher {
  const char* ranks;
  const char* rank;
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},  // Open MPI's mpirun
    {"PMI_SIZE", "PMI_RANK"},                          // MPICH, Intel MPI, srun --mpi=pmi2
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"},             // srun --mpi=pmix
};

std::optional<int> number_in(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

Launch launch_of(const Environment& environment) {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<int> ranks = number_in(environment(launcher.ranks));
    const std::optional<int> rank = number_in(environment(launcher.rank));
    if (ranks && rank) return {*rank, *ranks};
  }
  return {};
}

Launch launch_of_process() {
  return launch_of([](const char* name) { return std::getenv(name); });
}

std::unique_ptr<Communicator> join_ranks() {
  const int ranks = launch_of_process().ranks;
  if (ranks == 1) return std::make_unique<Communicator>();
  const MpiPlugin& mpi = open_mpi();
  std::unique_ptr<Transport> transport = mpi.join(kMpiPieceBytes);
  if (transport->ranks() != ranks) {
    throw Error(fmt::format(
        "{} ranks were started, but the MPI of {} ({}) sees {}; start them with the mpirun of that "
        "MPI, or build the plug-in with the MPI of this cluster",
        ranks, plugin_file("mpi"), mpi.library(), transport->ranks()));
  }
  return std::make_unique<Communicator>(std::move(transport));
}

}  // namespace cane

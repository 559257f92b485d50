// Whether a launcher of MPI (mpirun, srun, mpiexec) started this process as one of several ranks,
// and the way to the others: the plug-in library libcane_mpi.so, which is loaded only then.
#pragma once

#include <functional>
#include <memory>

#include "core/parallel/communicator.h"

namespace cane {

/// Reads a variable of the environment; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Which rank this process is, and of how many that were started together.
struct Launch {
  int rank = 0;
  int ranks = 1;
};

/// By what launchers put into the environment; rank 0 of 1 if this process was started by itself.
Launch launch_of(const Environment& environment);
Launch launch_of_process();

/// The ranks that this process was started with; itself alone without a launcher. Throws Error if
/// there are several and the plug-in is missing, is of another version, or does not see as many.
std::unique_ptr<Communicator> join_ranks();

}  // namespace cane

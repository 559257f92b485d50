// The plug-in for MPI, found and loaded when ranks join or when plug-ins are listed.
#pragma once

#include <string>

#include "core/parallel/mpi_plugin.h"

namespace cane {

/// Throws Error, with the remedy, if there is no plug-in, or it cannot be loaded or is of another
/// version.
const MpiPlugin& open_mpi();

/// A plug-in that was found. `path` is empty if there is none; `problem` says why it cannot be
/// used.
struct MpiReport {
  std::string path;
  std::string library;  // the MPI that it is linked with
  std::string problem;
};
MpiReport report_mpi();

}  // namespace cane

// What this library is and runs on.
#pragma once

#include <string>
#include <vector>

namespace cane {

/// "0.2.0"
std::string version();
/// The Git commit of the sources, for example "0c1742d3a5e1", with "-dirty" where files were
/// changed after it; "unknown" if the sources were no checkout.
std::string commit();
/// The instruction set chosen at run time, for example "AVX2".
std::string instruction_set();

/// A plug-in library that was found: the one for GPUs, or the one for MPI.
struct Plugin {
  std::string name;                  // "cuda", "mpi"
  std::string path;                  // of its file
  std::vector<std::string> devices;  // "cuda:0 NVIDIA H200, 139.8 GiB"
  std::string library;               // the MPI that it is linked with: "Open MPI v4.1.4"
  std::string problem;               // why it cannot be used
};
/// Looks for plug-ins where a verb would (CANE_PLUGIN_PATH, or beside the library and in lib/cane)
/// and loads them.
std::vector<Plugin> plugins();

}  // namespace cane

// What the plug-in library for MPI gives: the ranks that this process was started with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/parallel/transport.h"

namespace cane {

/// To be raised with every change of this file and of transport.h.
inline constexpr std::uint32_t kMpiInterfaceVersion = 2;

/// Messages travel in pieces of at most this many bytes: MPI counts them by an int.
inline constexpr std::size_t kMpiPieceBytes = std::size_t{1} << 30;

struct MpiPlugin {
  std::uint32_t interface_version;
  /// The MPI that it is linked with: "Open MPI v4.1.4".
  std::string (*library)();
  /// Joins the other ranks. Throws Error if MPI does not start.
  std::unique_ptr<Transport> (*join)(std::size_t piece_bytes);
};

/// The C name of the function of the plug-in library that returns its MpiPlugin, as const void*.
inline constexpr const char* kMpiPluginFunction = "cane_mpi_plugin";

}  // namespace cane

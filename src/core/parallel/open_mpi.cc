#include "core/parallel/open_mpi.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "core/base/plugin.h"

namespace cane {
namespace {

constexpr const char* kMpiName = "mpi";
constexpr const char* kBuiltBy = "cmake -DCANE_BUILD_MPI=ON";

// The parts of an MPI that are libraries themselves may look for its symbols in the process.
LoadedPlugin load() {
  return load_plugin(kMpiName, kMpiPluginFunction, kMpiInterfaceVersion, PluginSymbols::kForAll);
}

std::string text_of(const LoadedPlugin& loaded) {
  return problem_text(loaded, kMpiName, kMpiInterfaceVersion, kBuiltBy);
}

const MpiPlugin& table_of(const LoadedPlugin& loaded) {
  return *static_cast<const MpiPlugin*>(loaded.table);
}

}  // namespace

const MpiPlugin& open_mpi() {
  const LoadedPlugin loaded = load();
  if (loaded.problem == PluginProblem::kNone) return table_of(loaded);
  throw Error(fmt::format("several ranks were started: {}, or start one process", text_of(loaded)));
}

MpiReport report_mpi() {
  const LoadedPlugin loaded = load();
  if (loaded.problem == PluginProblem::kMissing) return {};
  if (loaded.problem != PluginProblem::kNone) return {loaded.path.string(), "", text_of(loaded)};
  return {loaded.path.string(), table_of(loaded).library(), ""};
}

}  // namespace cane

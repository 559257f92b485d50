#include "cane/version.h"

#include <fmt/format.h>

#include "app/error_text.h"
#include "app/options.h"
#include "cli/cane/verbs.h"
#include "core/base/thread_pool.h"

namespace cane::cli {

int run_version(const Verb& verb, const Arguments& arguments) {
  Options options(verb, "Example:\n  cane version");
  if (!options.parse(arguments)) return kExitDone;
  fmt::print("cane {}\ncommit           {}\ninstruction set  {}\nthreads          {}\n", version(),
             commit(), instruction_set(), available_cores());
  for (const Plugin& plugin : plugins()) {
    fmt::print("plug-in {:<8} {}\n", plugin.name, plugin.path);
    for (const std::string& device : plugin.devices) fmt::print("{:<16} {}\n", "", device);
    if (!plugin.library.empty()) fmt::print("{:<16} {}\n", "", plugin.library);
    if (!plugin.problem.empty()) fmt::print("{:<16} {}\n", "", with_flags(plugin.problem));
  }
  return kExitDone;
}

}  // namespace cane::cli

#include "cane/version.h"

#include <fmt/format.h>

#include "app/options.h"
#include "cli/cane/verbs.h"
#include "core/base/thread_pool.h"

namespace cane::cli {

int run_version(const Verb& verb, const Arguments& arguments) {
  Options options(verb, "Example:\n  cane version");
  if (!options.parse(arguments)) return kExitDone;
  fmt::print("cane {}\ninstruction set  {}\nthreads          {}\n", version(), instruction_set(),
             available_cores());
  return kExitDone;
}

}  // namespace cane::cli

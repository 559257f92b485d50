#include "cane/version.h"

#include <fmt/format.h>

#include <thread>

#include "app/options.h"
#include "cli/cane/verbs.h"

namespace cane::cli {

int run_version(const Verb& verb, const Arguments& arguments) {
  Options options(verb, "Example:\n  cane version");
  if (!options.parse(arguments)) return kExitDone;
  fmt::print("cane {}\ninstruction set  {}\nthreads          {}\n", version(), instruction_set(),
             std::thread::hardware_concurrency());
  return kExitDone;
}

}  // namespace cane::cli

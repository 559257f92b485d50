#include "lm/engine/sleeping_threads.h"

#include <unistd.h>

#include <cstdlib>

namespace cane::lm {

void let_threads_sleep(char** values) {
  constexpr const char* kPolicy = "OMP_WAIT_POLICY";
  if (std::getenv(kPolicy) != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  ::setenv(kPolicy, "passive", 1);
  ::execv("/proc/self/exe", values);
}

}  // namespace cane::lm

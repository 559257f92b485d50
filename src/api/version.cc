#include "cane/version.h"

#include "core/simd/block_kernels.h"

namespace cane {

std::string version() {
  return CANE_VERSION;
}

std::string instruction_set() {
  return kernel_target();
}

}  // namespace cane

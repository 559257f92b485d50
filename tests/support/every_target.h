// Runs a body once with every instruction set that this machine supports.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

#include "core/simd/block_kernels.h"

namespace cane {

template <typename Body>
void on_every_target(const Body& body) {
  const auto supported = static_cast<std::uint64_t>(hwy::SupportedTargets());
  ASSERT_NE(supported, 0U);
  for (std::uint64_t rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(static_cast<std::int64_t>(rest & (~rest + 1)));
    SCOPED_TRACE(kernel_target());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace cane

// One example's features, wherever they lie. Sparse: strictly increasing indices. Dense: indices is
// null and value i belongs to feature i. The bias feature is not part of it.
#pragma once

#include <cstdint>

#include "core/base/types.h"

namespace cane {

struct RowView {
  const FeatureId* indices = nullptr;
  const float* values = nullptr;
  std::uint32_t count = 0;
};

}  // namespace cane

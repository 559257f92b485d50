// Which way a router sends an example, one rule for training and prediction.
#pragma once

namespace cane {

inline bool goes_right(float margin) {
  return margin >= 0.0F;
}

}  // namespace cane

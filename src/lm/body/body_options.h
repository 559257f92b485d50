// Sizes of the body of a language model. This header does not include torch, so that the command
// line can use it.
#pragma once

#include <cstdint>

namespace cane::lm {

struct BodyOptions {
  std::int64_t embedding = 256;
  std::int64_t hidden = 512;
  std::int64_t projection = 256;  // 0: none
  std::int64_t layers = 1;
  double dropout = 0.3;
  bool tied = false;

  std::int64_t width() const { return projection > 0 ? projection : hidden; }
};

}  // namespace cane::lm

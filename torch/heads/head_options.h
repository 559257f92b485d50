// Which output layer, and how it is set. Without torch, so that the command line can see it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cane::lm {

struct HeadOptions {
  std::string name = "softmax";
};

/// The names of the heads of this build.
std::span<const std::string_view> head_names();

}  // namespace cane::lm

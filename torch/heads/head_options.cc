#include "torch/heads/head_options.h"

namespace cane::lm {
namespace {

constexpr std::string_view kNames[] = {"softmax", "adaptive"};

}  // namespace

std::span<const std::string_view> head_names() {
  return kNames;
}

}  // namespace cane::lm

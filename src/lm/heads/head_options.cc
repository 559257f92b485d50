#include "lm/heads/head_options.h"

namespace cane::lm {
namespace {

constexpr std::string_view kNames[] = {"softmax",  "adaptive", "cane", "nce",
                                       "blackout", "neg",      "css"};

}  // namespace

std::span<const std::string_view> head_names() {
  return kNames;
}

}  // namespace cane::lm

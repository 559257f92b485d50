#include "lm/heads/head_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "methods/method_table.h"

namespace cane::lm {
namespace {

// The adaptive softmax is not a classification method; it is listed after the plain softmax.
constexpr std::string_view kAdaptive = "adaptive";

std::vector<std::string_view> all_heads() {
  std::vector<std::string_view> heads;
  for (const MethodRow& row : kMethods) {
    if (row.has_objective && row.trains_all_classes) heads.emplace_back(row.name);
  }
  heads.push_back(kAdaptive);
  for (const MethodRow& row : kMethods) {
    if (row.has_objective && row.has_noises()) heads.emplace_back(row.name);
  }
  return heads;
}

}  // namespace

std::span<const std::string_view> head_names() {
  static const std::vector<std::string_view> names = all_heads();
  return names;
}

const char* head_values() {
  static const std::string kValues = fmt::format("{}", fmt::join(head_names(), "|"));
  return kValues.c_str();
}

}  // namespace cane::lm

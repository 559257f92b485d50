#include "layer/sampled_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "cane/error.h"

namespace cane::layer {

Method sampled_method(const std::string& option, const std::string& name) {
  std::vector<std::string_view> names;
  for (const MethodRow& row : kMethods) {
    if (!row.has_objective || !row.has_noises()) continue;
    if (row.name == name) return row.kind;
    names.emplace_back(row.name);
  }
  const std::string_view last = names.back();
  names.pop_back();
  throw Error(fmt::format("`{0}`: there is no sampled {0} '{1}'; there are {2} and {3}", option,
                          name, fmt::join(names, ", "), last));
}

}  // namespace cane::layer

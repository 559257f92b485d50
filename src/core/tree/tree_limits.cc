#include "core/tree/tree_limits.h"

#include <fmt/format.h>

#include "cane/error.h"

namespace cane {

void check_arity(std::uint32_t arity) {
  if (arity >= 2) return;
  throw Error(fmt::format("--arity: a tree of arity {} cannot branch; take 2 or more", arity));
}

void check_class_count(std::size_t classes) {
  constexpr std::size_t kMaxClasses = std::size_t{1} << 31;
  if (classes < 2) {
    throw Error(
        fmt::format("a tree needs at least 2 classes, and the data has {}; check --format "
                    "and the labels",
                    classes));
  }
  if (classes > kMaxClasses) {
    throw Error(
        fmt::format("{} classes are more than the {} a tree can hold", classes, kMaxClasses));
  }
}

}  // namespace cane

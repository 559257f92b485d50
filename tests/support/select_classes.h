// The classes that a selector without random draws finds for some rows, with a worker made for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/selector.h"

namespace cane::testing {

inline Selection select_classes(const Selector& selector, std::span<const RowView> rows,
                                std::uint32_t width, std::uint32_t keep) {
  const std::vector<std::uint32_t> numbers(rows.size(), 0);
  Selection selection;
  selector.make_worker()->select(rows, {CounterRandom(1, RandomPurpose::kNoise), numbers}, width,
                                 keep, selection);
  return selection;
}

}  // namespace cane::testing

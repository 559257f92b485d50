// Parts of a dataset that share its features: a list of rows, and the labels and weights that go
// with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/loaded_data.h"

namespace cane {

/// The examples in the given order, with the same vocabulary and an empty report. It keeps alive
/// what `data` points into, not `data` itself. Throws Error if `examples` is empty or names one
/// that does not exist.
LoadedData take_subset(const LoadedData& data, std::span<const std::uint32_t> examples);

struct SplitExamples {
  std::vector<std::uint32_t> rest;
  std::vector<std::uint32_t> held_out;
};

/// Both increasing; `held_out` has the given share of 0 .. size-1, at random, at least one and not
/// all. Throws Error unless 0 < share < 1 and there are two examples or more.
SplitExamples split_examples(std::size_t size, double share, std::uint64_t seed);

}  // namespace cane

// Datasets that are made of another one and share its features: lists of its rows with their labels
// and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/loaded_data.h"

namespace cane {

/// Returns the examples in the given order, with the same vocabulary and an empty report. The
/// result keeps alive the storage of `data`, not `data` itself. Throws Error if `examples` is empty
/// or contains an invalid number.
LoadedData take_subset(const LoadedData& data, std::span<const std::uint32_t> examples);

struct SplitExamples {
  std::vector<std::uint32_t> rest;
  std::vector<std::uint32_t> held_out;
};

/// Both lists are increasing; `held_out` is a random subset of 0 .. size-1 with the given share, at
/// least one and not all. Throws Error unless 0 < share < 1 and there are at least two examples.
SplitExamples split_examples(std::size_t size, double share, std::uint64_t seed);

/// In an order that depends on what the examples are alone: see Dataset::canonical().
LoadedData canonical_order(const LoadedData& data, ThreadPool& pool);

/// The same examples with weights such that all classes that have examples weigh the same, and all
/// together as much as before.
LoadedData balance_classes(const LoadedData& data);

}  // namespace cane

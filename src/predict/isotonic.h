// Isotonic regression: the non-decreasing function that is nearest, by squared error, to given
// zeros and ones (the algorithm of pooling adjacent violators).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cane {

struct Observation {
  float x = 0.0F;
  bool is_one = false;
};

/// Neighbours in x to which the regression gives the same value.
struct IsotonicBlock {
  double x = 0.0;  // mean
  std::uint64_t observations = 0;
  std::uint64_t ones = 0;

  double value() const { return static_cast<double>(ones) / static_cast<double>(observations); }
  void add(const IsotonicBlock& other);
};

/// Blocks of increasing x and strictly increasing value. Sorts the observations; equal x are never
/// separated.
std::vector<IsotonicBlock> isotonic_regression(std::span<Observation> observations);

/// The same with neighbours joined until every block has at least this many observations, or all
/// are one block.
std::vector<IsotonicBlock> joined(const std::vector<IsotonicBlock>& blocks, std::uint64_t least);

}  // namespace cane

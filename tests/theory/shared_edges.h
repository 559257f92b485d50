// Proposition 1: an edge that lies on every selected path needs no update, since its gradient (Eqs.
// grad1 and grad2) is zero. Checked on random balanced trees with random scores on the edges: the
// objective that trains gives the gradients in the scores of the classes, and the gradient of an
// edge is their sum over the classes below it.
#pragma once

#include <cstdint>
#include <vector>

namespace cane::theory {

struct SharedEdgesOptions {
  std::vector<std::uint32_t> arities = {2, 10, 32};
  std::vector<std::uint32_t> candidates = {2, 5};
  std::vector<std::uint32_t> noises = {1, 5};
  std::uint32_t classes = 1000;
  std::uint32_t examples = 1000;
  std::uint64_t seed = 1;
};

struct SharedEdgesRow {
  std::uint32_t arity = 0;
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;
  std::uint64_t edges = 0;               // on selected paths, summed over the examples
  std::uint64_t shared = 0;              // of these, on every selected path of their example
  double largest_shared_gradient = 0.0;  // in absolute value, as below
  double largest_gradient = 0.0;         // of all edges on selected paths
};

/// Arities, candidates and noises in all combinations.
std::vector<SharedEdgesRow> check_shared_edges(const SharedEdgesOptions& options);

}  // namespace cane::theory

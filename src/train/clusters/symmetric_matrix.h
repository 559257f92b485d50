// The algebra of small symmetric matrices (up to a hundred rows) behind principal directions. A
// matrix is `size` x `size` doubles, row-major, given in full.
#pragma once

#include <cstddef>
#include <vector>

namespace cane {

/// The upper triangular T for which T^t A T is the identity: what makes columns with the products A
/// orthonormal. A column that depends on those before it, up to rounding, gets a zero column in T.
/// A is positive semidefinite.
std::vector<double> orthonormalizing_factor(const std::vector<double>& matrix, std::size_t size);

struct EigenPairs {
  std::vector<double> values;   // descending
  std::vector<double> vectors;  // size x size, column j belongs to value j
};

/// By Jacobi's rotations.
EigenPairs eigen_pairs(std::vector<double> matrix, std::size_t size);

}  // namespace cane

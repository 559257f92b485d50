// The principal directions of the class centres: the orthonormal v_1 .. v_r that capture the most
// weighted variance of the centres around their weighted mean. A narrow model starts from them.
//
// They are computed by randomised subspace iteration (Halko, Martinsson and Tropp 2011): a random
// block with a few more columns than requested is repeatedly multiplied by the covariance and
// orthonormalised, and finally rotated to the principal axes of its span. The centres are never
// centred in memory, so sparse ones stay sparse: C = sum_k p_k c_k c_k^T - m m^T with p the
// normalised weights and m the mean. One multiplication costs 2 (r + kSpareDirections)
// multiply-adds per stored value. The result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "train/clusters/class_centres.h"

namespace cane {

inline constexpr std::uint32_t kMaxDirections = 64;

struct PrincipalDirections {
  std::uint32_t rank = 0;
  std::vector<float> mean;       // of the centres, weighted: dimension floats
  std::vector<float> loadings;   // dimension x rank: row i has the loadings of feature i
  std::vector<float> variances;  // along each direction, descending
};

/// `weights` has one finite number >= 0 for each class, not all zero; `rank` is at most
/// kMaxDirections. If fewer directions have any variance (few classes or features, or at most a
/// millionth of the first variance), the remaining columns and variances are zero. In each
/// direction the loading of largest magnitude is positive.
PrincipalDirections principal_directions(const ClassCentres& centres,
                                         std::span<const float> weights, std::uint32_t rank,
                                         ThreadPool& pool);

/// The memory that it takes meanwhile.
std::uint64_t principal_directions_bytes(std::uint64_t dimension, std::uint32_t rank);

}  // namespace cane

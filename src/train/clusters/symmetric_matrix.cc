#include "train/clusters/symmetric_matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace cane {
namespace {

// What is left of a squared length below this share of it is rounding.
constexpr double kDependent = 1e-12;
constexpr int kMaxSweeps = 50;
constexpr double kSettled = 1e-30;

// One rotation in the plane of (p, q) that makes the entry (p, q) zero.
void rotate(std::vector<double>& matrix, std::vector<double>& vectors, std::size_t size,
            std::size_t p, std::size_t q) {
  const double off = matrix[p * size + q];
  if (off == 0.0) return;
  const double theta = (matrix[q * size + q] - matrix[p * size + p]) / (2.0 * off);
  const double tangent = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double cosine = 1.0 / std::hypot(tangent, 1.0);
  const double sine = tangent * cosine;
  const auto turn = [&](double& a, double& b) {
    const double old_a = a;
    a = cosine * old_a - sine * b;
    b = sine * old_a + cosine * b;
  };
  for (std::size_t k = 0; k < size; ++k) turn(matrix[k * size + p], matrix[k * size + q]);
  for (std::size_t k = 0; k < size; ++k) turn(matrix[p * size + k], matrix[q * size + k]);
  for (std::size_t k = 0; k < size; ++k) turn(vectors[k * size + p], vectors[k * size + q]);
}

}  // namespace

std::vector<double> orthonormalizing_factor(const std::vector<double>& matrix, std::size_t size) {
  // Gram and Schmidt on the unit vectors, in the inner product that the matrix defines.
  std::vector<double> factor(size * size, 0.0);
  std::vector<double> column(size);
  for (std::size_t j = 0; j < size; ++j) {
    std::ranges::fill(column, 0.0);
    column[j] = 1.0;
    double length = matrix[j * size + j];
    for (std::size_t before = 0; before < j; ++before) {
      double product = 0.0;
      for (std::size_t i = 0; i <= before; ++i) {
        product += factor[i * size + before] * matrix[i * size + j];
      }
      for (std::size_t i = 0; i <= before; ++i) column[i] -= product * factor[i * size + before];
      length -= product * product;
    }
    if (!(length > kDependent * matrix[j * size + j])) continue;
    for (std::size_t i = 0; i <= j; ++i) factor[i * size + j] = column[i] / std::sqrt(length);
  }
  return factor;
}

EigenPairs eigen_pairs(std::vector<double> matrix, std::size_t size) {
  std::vector<double> vectors(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) vectors[i * size + i] = 1.0;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double diagonal = 0.0;
    double off_diagonal = 0.0;
    for (std::size_t i = 0; i < size * size; ++i) {
      (i % (size + 1) == 0 ? diagonal : off_diagonal) += matrix[i] * matrix[i];
    }
    if (off_diagonal <= kSettled * diagonal) break;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) rotate(matrix, vectors, size, p, q);
    }
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t j) { return matrix[j * size + j]; });
  EigenPairs pairs{std::vector<double>(size), std::vector<double>(size * size)};
  for (std::size_t j = 0; j < size; ++j) {
    pairs.values[j] = matrix[order[j] * size + order[j]];
    for (std::size_t i = 0; i < size; ++i) {
      pairs.vectors[i * size + j] = vectors[i * size + order[j]];
    }
  }
  return pairs;
}

}  // namespace cane

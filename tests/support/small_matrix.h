// Square matrices of a few rows in double, for tests that check statistics.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cane {

struct Matrix {
  std::size_t size;
  std::vector<double> values;

  explicit Matrix(std::size_t rows) : size(rows), values(rows * rows, 0.0) {}
  double& operator()(std::size_t row, std::size_t column) { return values[row * size + column]; }
  double operator()(std::size_t row, std::size_t column) const {
    return values[row * size + column];
  }
};

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.size);
  for (std::size_t i = 0; i < a.size; ++i) {
    for (std::size_t j = 0; j < a.size; ++j) {
      for (std::size_t k = 0; k < a.size; ++k) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

inline double trace(const Matrix& matrix) {
  double sum = 0.0;
  for (std::size_t i = 0; i < matrix.size; ++i) sum += matrix(i, i);
  return sum;
}

/// Gauss-Jordan elimination with row pivots.
inline Matrix inverse(Matrix matrix) {
  const std::size_t n = matrix.size;
  Matrix result(n);
  for (std::size_t i = 0; i < n; ++i) result(i, i) = 1.0;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(matrix(row, column)) > std::abs(matrix(pivot, column))) pivot = row;
    }
    if (matrix(pivot, column) == 0.0) throw std::runtime_error("singular matrix");
    const double scale = 1.0 / matrix(pivot, column);
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(matrix(pivot, j), matrix(column, j));
      std::swap(result(pivot, j), result(column, j));
      matrix(column, j) *= scale;
      result(column, j) *= scale;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = row == column ? 0.0 : matrix(row, column);
      for (std::size_t j = 0; j < n; ++j) {
        matrix(row, j) -= factor * matrix(column, j);
        result(row, j) -= factor * result(column, j);
      }
    }
  }
  return result;
}

inline std::vector<double> product(const Matrix& a, const std::vector<double>& b) {
  std::vector<double> result(a.size, 0.0);
  for (std::size_t i = 0; i < a.size; ++i) {
    for (std::size_t j = 0; j < a.size; ++j) result[i] += a(i, j) * b[j];
  }
  return result;
}

}  // namespace cane

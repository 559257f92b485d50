#include "step/whitening.h"

#include <algorithm>

#include "core/simd/row_product.h"

namespace cane {

std::size_t Whitening::row_pitch(FeatureId dimension) {
  return (std::size_t{dimension} + kProductMultiple - 1) / kProductMultiple * kProductMultiple;
}

std::size_t Whitening::size(FeatureId dimension) {
  return row_pitch(dimension) * (is_diagonal(dimension) ? 1 : dimension);
}

void Whitening::turn(const float* inputs, std::size_t rows, std::size_t pitch,
                     std::vector<float>& scratch, float* turned) const {
  const std::size_t count = mean_.size();
  std::fill_n(turned, rows * pitch, 0.0F);
  scratch.resize(rows * count);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < count; ++i) {
      scratch[row * count + i] = inputs[row * pitch + i] - mean_[i];
    }
  }
  if (is_diagonal(dimension())) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < count; ++i) {
        turned[row * pitch + i] = inverse_.data()[i] * scratch[row * count + i];
      }
    }
  } else {
    multiply({scratch.data(), count}, {inverse_.data(), row_pitch(dimension())}, {turned, pitch},
             rows, count, row_pitch(dimension()));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    float* const to = turned + row * pitch;
    float bias = 1.0F;
    for (std::size_t i = 0; i < count; ++i) bias -= mean_[i] * to[i];
    to[count] = bias;
  }
}

double Whitening::product(const float* a, const float* turned_b) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    sum += static_cast<double>(a[i] - mean_[i]) * static_cast<double>(turned_b[i]);
  }
  return sum;
}

}  // namespace cane

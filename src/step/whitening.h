// The scale of dense rows, for plain steps. With m the mean of the rows, S the covariance within
// classes and P its inverse, steps over the rows z = S^(-1/2) (x - m) converge fast however the
// features are scaled and correlated. The same scores come from weights over the raw rows, and the
// same steps, if a gradient multiplies A (x, 1) in place of (x, 1):
//
//   A (x, 1) = (P (x - m), 1 - m . P (x - m)),  (x, 1) . A (x, 1) = |z|^2 + 1
//
// So only training knows of it (docs/mathematics.md).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/types.h"

namespace cane {

class Whitening {
 public:
  /// Rows with more features are scaled one by one: the square of them no longer pays.
  static constexpr FeatureId kMostCorrelated = 1024;

  /// `inverse`: P, (dimension x row_pitch()), or its diagonal where is_diagonal().
  Whitening(std::vector<float> mean, AlignedBuffer<float> inverse)
      : mean_(std::move(mean)), inverse_(std::move(inverse)) {}

  static bool is_diagonal(FeatureId dimension) { return dimension > kMostCorrelated; }
  static std::size_t row_pitch(FeatureId dimension);
  /// Floats of P.
  static std::size_t size(FeatureId dimension);

  FeatureId dimension() const { return static_cast<FeatureId>(mean_.size()); }
  const std::vector<float>& mean() const { return mean_; }

  /// From rows (x, 1) to A (x, 1), both `pitch` apart, with zeros behind. The bits of a row do not
  /// depend on the others.
  void turn(const float* inputs, std::size_t rows, std::size_t pitch, std::vector<float>& scratch,
            float* turned) const;
  /// (a - m) . P (b - m), given the row a and what turn() made of b.
  double product(const float* a, const float* turned_b) const;

 private:
  std::vector<float> mean_;
  AlignedBuffer<float> inverse_;
};

}  // namespace cane

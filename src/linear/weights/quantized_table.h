// A table of weights in 8 or 16 bits (kernels/quantized_kernels.h), and how it comes from floats.
// In 8 bits a vector w is kept as whole numbers q from -127 to 127 and a scale s, w = s q, with s
// such that the largest weight is 127: no weight is off by more than s / 2. A vector is that of a
// class (a column), or the embedding of a feature (a row of the block): what is large for one class
// or feature does not coarsen the others. In 16 bits weights are rounded to binary16, whose 11
// digits leave an error of 1/2048 of each weight at most; bfloat16 has 8, hardly better than 8 bits
// with a scale. Biases stay floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/aligned_buffer.h"
#include "core/base/half.h"
#include "core/simd/quantized_kernels.h"
#include "linear/weights/parameter_table.h"

namespace cane {

struct QuantizedTable {
  QuantizedType type = QuantizedType::kInt8;
  bool scales_features = false;
  AlignedBuffer<std::int8_t> bytes;  // of kInt8
  AlignedBuffer<Half> halves;        // of kFloat16
  std::vector<float> biases;
  std::vector<float> scales;  // of kInt8
  std::size_t zeros = 0;      // weights that are zero, or became it

  QuantizedWeights weights() const;
};

/// Weights below `drop` in size become zero. Throws Error on weights that are infinite or not a
/// number, and in 16 bits on those that are too large.
QuantizedTable quantize_table(const ParameterTable& table, const float* weights, QuantizedType type,
                              float drop);

/// Whether a scale belongs to a feature; otherwise to a column.
inline bool scales_by_feature(const ParameterTable& table) {
  return table.role == TableRole::kEmbeddings;
}
inline std::size_t scale_count(const ParameterTable& table) {
  return scales_by_feature(table) ? table.layout.dimension() : table.layout.columns();
}

}  // namespace cane

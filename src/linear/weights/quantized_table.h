// A table of weights in 8 or 16 bits (core/simd/quantized_kernels.h), and how it comes from floats.
// In 8 bits a vector w is kept as whole numbers q from -127 to 127 and a scale s, w = s q, with s
// such that the largest weight is 127: no weight is off by more than s / 2. A vector is that of a
// class (a column), or the embedding of a feature (a row of the block): what is large for one class
// or feature does not coarsen the others. In 16 bits weights are rounded to binary16, whose 11
// digits leave an error of 1/2048 of each weight at most; bfloat16 has 8, hardly better than 8 bits
// with a scale. Biases stay floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.h"
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

// A sequence that is mostly zeros, for a file: the numbers that are not zero and, before each, the
// length of the run of zeros: bytes of 255 for 255 zeros each, then one below 255. What follows the
// last number is bytes of 255, and up to 254 zeros that the length of the sequence tells.

inline constexpr std::uint8_t kLongGap = 255;

template <typename T>
struct SparseCode {
  std::vector<std::uint8_t> gaps;
  std::vector<T> values;

  std::size_t bytes() const { return gaps.size() + values.size() * sizeof(T); }
};

template <typename T, typename IsZero>
SparseCode<T> encode_sparse(std::span<const T> sequence, const IsZero& is_zero) {
  SparseCode<T> code;
  std::size_t zeros = 0;
  for (const T& value : sequence) {
    if (is_zero(value)) {
      if (++zeros == kLongGap) {
        code.gaps.push_back(kLongGap);
        zeros = 0;
      }
      continue;
    }
    code.gaps.push_back(static_cast<std::uint8_t>(zeros));
    code.values.push_back(value);
    zeros = 0;
  }
  return code;
}

/// Whether these are the code of a sequence of `size` elements.
inline bool is_sparse_code(std::span<const std::uint8_t> gaps, std::size_t values,
                           std::size_t size) {
  std::size_t length = 0;
  std::size_t numbers = 0;
  for (const std::uint8_t gap : gaps) {
    length += gap == kLongGap ? gap : std::size_t{gap} + 1;
    numbers += gap == kLongGap ? 0 : 1;
  }
  return numbers == values && length <= size && size - length < kLongGap;
}

/// Decodes what is_sparse_code() accepts; `sequence` must hold zeros.
template <typename T>
void decode_sparse(std::span<const std::uint8_t> gaps, const T* values, T* sequence) {
  for (const std::uint8_t gap : gaps) {
    sequence += gap;
    if (gap != kLongGap) *sequence++ = *values++;
  }
}

}  // namespace cane

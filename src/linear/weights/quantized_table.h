// A weight table in 8 or 16 bits (core/simd/quantized_kernels.h), and its conversion from floats.
// In 8 bits, a vector w is stored as integers q from -127 to 127 and a scale s, w = s q, with s
// chosen so that the largest weight is 127: the error of a weight is at most s / 2. A vector
// belongs to a class (a column) or is the embedding of a feature (a row of the block), so large
// weights of one class or feature do not coarsen the others. In 16 bits, weights are rounded to
// binary16, whose 11 significant bits give a relative error of at most 1/2048; bfloat16 has 8,
// hardly better than 8 bits with a scale. Biases stay floats.
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
  AlignedBuffer<std::int8_t> bytes;  // if kInt8
  AlignedBuffer<Half> halves;        // if kFloat16
  std::vector<float> biases;
  std::vector<float> scales;  // if kInt8
  std::size_t zeros = 0;      // weights that are zero or were rounded to zero

  QuantizedWeights weights() const;
};

/// Throws Error on infinite or NaN weights and, in 16 bits, on weights that are too large.
QuantizedTable quantize_table(const ParameterTable& table, const float* weights,
                              QuantizedType type);

/// Whether scales belong to features; otherwise they belong to columns.
inline bool scales_by_feature(const ParameterTable& table) {
  return table.role == TableRole::kEmbeddings;
}
inline std::size_t scale_count(const ParameterTable& table) {
  return scales_by_feature(table) ? table.layout.dimension() : table.layout.columns();
}

// File encoding of a mostly-zero sequence: the nonzero numbers and, for each, the length of the run
// of zeros before it: bytes of 255 for 255 zeros each, then one below 255. After the last number
// there are only bytes of 255, and up to 254 zeros implied by the length of the sequence.

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

/// Whether these encode a sequence of `size` elements.
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

/// Decodes input that is_sparse_code() accepts; `sequence` must be all zero.
template <typename T>
void decode_sparse(std::span<const std::uint8_t> gaps, const T* values, T* sequence) {
  for (const std::uint8_t gap : gaps) {
    sequence += gap;
    if (gap != kLongGap) *sequence++ = *values++;
  }
}

}  // namespace cane

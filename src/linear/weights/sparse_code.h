// A sequence that is mostly zeros, as the numbers that are not zero and, before each, the length of
// the run of zeros: bytes of 255 for 255 zeros each, then one below 255. What follows the last
// number is bytes of 255, and up to 254 zeros that the length of the sequence tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cane {

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

/// Of a code that is_sparse_code; `sequence` is zero.
template <typename T>
void decode_sparse(std::span<const std::uint8_t> gaps, const T* values, T* sequence) {
  for (const std::uint8_t gap : gaps) {
    sequence += gap;
    if (gap != kLongGap) *sequence++ = *values++;
  }
}

}  // namespace cane

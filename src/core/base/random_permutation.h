// A random permutation of 0 .. size-1 that is computed, not stored: a Feistel network over the
// counter-based random numbers. So a place in a file of any length is a pure function of its
// number.
#pragma once

#include <cassert>
#include <cstdint>

#include "core/base/random.h"

namespace cane {

class RandomPermutation {
 public:
  RandomPermutation(std::uint64_t size, const CounterRandom& random)
      : size_(size), random_(random) {
    while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < size) ++half_bits_;
  }

  std::uint64_t operator()(std::uint64_t value) const {
    assert(value < size_);
    // The network permutes a power of four; walking until inside makes it permute 0 .. size-1.
    do {
      value = permute(value);
    } while (value >= size_);
    return value;
  }

 private:
  static constexpr std::uint32_t kRounds = 6;

  std::uint64_t permute(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::uint64_t next = left ^ (random_.bits(right, round) & mask);
      left = right;
      right = next;
    }
    return (left << half_bits_) | right;
  }

  std::uint64_t size_;
  CounterRandom random_;
  unsigned half_bits_ = 1;
};

}  // namespace cane

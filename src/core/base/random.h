// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): a draw is a pure function of
// (seed, stream, example, draw). There is no state to carry, so any thread, on any device, can draw
// any number in any order and gets the same bits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/base/host_device.h"

namespace cane {

/// What a draw is for. Draws of different purposes never share numbers.
enum class RandomPurpose : std::uint32_t {
  kShuffle,
  kNoise,
  kTree,
  kSynthetic,
  kEstimate,
  kDirections = 6,
  kSplit,
  kSearch,
  kEncoder,
  kDropout,
  kCandidates,
  kExamples,
  kSlots,
};

class CounterRandom {
 public:
  CANE_HOST_DEVICE CounterRandom(std::uint64_t seed, RandomPurpose purpose, std::uint32_t epoch = 0)
      : seed_(seed), stream_((static_cast<std::uint32_t>(purpose) << 24) ^ epoch) {}

  CANE_HOST_DEVICE std::uint32_t epoch() const { return stream_ & 0xFFFFFFU; }

  /// Four independent 32-bit words for this (example, draw).
  CANE_HOST_DEVICE std::array<std::uint32_t, 4> words(std::uint64_t example,
                                                      std::uint32_t draw) const {
    std::array<std::uint32_t, 4> counter = {static_cast<std::uint32_t>(example),
                                            static_cast<std::uint32_t>(example >> 32), draw,
                                            stream_};
    auto key0 = static_cast<std::uint32_t>(seed_);
    auto key1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter[0];
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
                 static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
                 static_cast<std::uint32_t>(product0)};
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    return counter;
  }

  CANE_HOST_DEVICE std::uint64_t bits(std::uint64_t example, std::uint32_t draw) const {
    const auto word = words(example, draw);
    return (std::uint64_t{word[1]} << 32) | word[0];
  }

  /// Uniform in [0, 1) with 53 bits.
  CANE_HOST_DEVICE double uniform(std::uint64_t example, std::uint32_t draw) const {
    return static_cast<double>(bits(example, draw) >> 11) * 0x1.0p-53;
  }

  /// Uniform integer in [0, bound); the bias is below bound / 2^64.
  CANE_HOST_DEVICE std::uint64_t below(std::uint64_t bound, std::uint64_t example,
                                       std::uint32_t draw) const {
    return static_cast<std::uint64_t>(
        (static_cast<unsigned __int128>(bits(example, draw)) * bound) >> 64);
  }

  /// Standard normal (Box and Muller, the cosine branch).
  CANE_HOST_DEVICE double normal(std::uint64_t example, std::uint32_t draw) const {
    const auto word = words(example, draw);
    const double radius_source = (static_cast<double>(word[0]) + 1.0) * 0x1.0p-32;
    const double angle = 6.283185307179586 * (static_cast<double>(word[1]) * 0x1.0p-32);
    return std::sqrt(-2.0 * std::log(radius_source)) * std::cos(angle);
  }

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
};

}  // namespace cane

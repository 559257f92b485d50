// Random numbers and laws as tensors, on any device. A draw is a function of seed, step and place:
// all devices draw the same words, and a recorded step draws others whenever it is replayed.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace cane::lm {

inline constexpr std::int64_t kNoWord = -1;

/// Uniform in [0, 1), float64 of this shape. `step` is one int64 on the device; draws of different
/// streams are independent.
torch::Tensor uniform_draws(std::uint64_t seed, std::int64_t stream, const torch::Tensor& step,
                            at::IntArrayRef shape);

/// Alias tables (core/noise/alias_table.h), one after another.
class AliasTensors {
 public:
  AliasTensors() = default;
  /// Table i has the masses from offsets[i] to offsets[i + 1]; it may have none.
  AliasTensors(std::span<const double> masses, std::span<const std::int64_t> offsets,
               torch::Device device);

  std::int64_t outcomes() const { return own_.numel(); }
  /// The place among all outcomes of one of `count` from `begin` on (int64, as wide as the two
  /// uniform numbers that choose it).
  torch::Tensor draw(const torch::Tensor& begin, const torch::Tensor& count,
                     const torch::Tensor& where, const torch::Tensor& level) const;

 private:
  torch::Tensor own_;     // [outcomes] float64: the share of a cell that is its own outcome's
  torch::Tensor lender_;  // [outcomes] int64: the outcome that owns the rest
};

/// A noise law over the words outside a fixed set: a word has mass proportional to count^power; a
/// power of 0 is the uniform law.
class NoiseLaw {
 public:
  /// A word with count zero is treated as if it occurred once, since it may still be a label. Words
  /// with excluded[w] have no mass; if all are excluded the law is empty.
  NoiseLaw(std::span<const std::uint64_t> counts, float power, const std::vector<bool>& excluded,
           torch::Device device);

  /// [words] float32
  const torch::Tensor& masses() const { return masses_; }
  /// Words by pairs of uniform numbers; kNoWord if the law is empty.
  torch::Tensor draw(const torch::Tensor& where, const torch::Tensor& level) const;

 private:
  torch::Tensor words_;  // [outcomes] int64
  torch::Tensor masses_;
  AliasTensors cells_;
};

}  // namespace cane::lm

// The softmax over all classes, block of classes by block: first the largest score and the sums of
// every example, then, with these, scores become coefficients in place. A step over K classes of D
// features and B examples is two products of 2 B K D operations, one more with an encoder and one
// more if the scores are too many to keep and are computed twice; it moves the weights three times
// and the scores five times, 12 K D + 20 B K bytes. K = 20,902, D = 144, B = 256 are 3 GFLOP, 8 us
// at 400 TFLOP/s, and 143 MB, 33 us at 4.3 TB/s: 10 epochs of 246,081 examples take 0.3 s at these
// limits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/plain/entries.h"

namespace cane::device {

/// Of every example, relative to the largest score. [batch] each.
struct SoftmaxSums {
  float* largest = nullptr;
  float* sums = nullptr;
  float* squares = nullptr;  // of the exponentials, for the norm of the gradient
  float* label_scores = nullptr;
  float* scales = nullptr;  // factor on the gradient: the weight, clipped
};

struct ClassBlock {
  float* scores = nullptr;  // [batch, pitch]
  std::uint64_t pitch = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// An item is an example.
struct SumBlock {
  BatchView batch;
  SoftmaxSums sums;
  ClassBlock block;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const float* scores = block.scores + static_cast<std::uint64_t>(example) * block.pitch;
    const bool is_first = block.first == 0;
    const float before = is_first ? -std::numeric_limits<float>::infinity() : sums.largest[example];
    // Relative to the largest score of the lane so far, so that scores are read once.
    float own_high = before;
    float sum = 0.0F;
    float squares = 0.0F;
    for (std::uint32_t k = lanes.from(0); k < block.count; k += lanes.stride()) {
      if (scores[k] > own_high) {
        const float shrink = std::exp(own_high - scores[k]);
        sum *= shrink;
        squares *= shrink * shrink;
        own_high = scores[k];
      }
      const float value = std::exp(scores[k] - own_high);
      sum += value;
      squares += value * value;
    }
    const float high = lanes.max(own_high);
    const float shrink = std::exp(own_high - high);
    sum = lanes.sum(shrink * sum);
    squares = lanes.sum(shrink * shrink * squares);
    if (!lanes.owns(0)) return;
    const float factor = is_first ? 0.0F : std::exp(before - high);
    sums.largest[example] = high;
    sums.sums[example] = sum + (is_first ? 0.0F : factor * sums.sums[example]);
    sums.squares[example] = squares + (is_first ? 0.0F : factor * factor * sums.squares[example]);
    const std::uint32_t label = batch.labels[example];
    if (label >= block.first && label - block.first < block.count) {
      sums.label_scores[example] = scores[label - block.first];
    }
  }
};

/// The loss and the scale of the gradient of an example, from its sums.
struct WeighExample {
  BatchView batch;
  Rows inputs;
  SoftmaxSums sums;
  float clip;
  std::uint32_t classes;
  /// A proposal learns from a quarter of the examples only, as on the CPU.
  bool takes_quarter;
  ExampleResults results;  // null: not wanted

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const float sum = sums.sums[example];
    const float distance = sums.label_scores[example] - sums.largest[example];
    const float weight = is_learned(example) ? batch.weights[example] : 0.0F;
    float scale = weight;
    if (clip > 0.0F) {
      const float label = std::exp(distance) / sum;
      const float squares = sums.squares[example] / (sum * sum) - 2.0F * label + 1.0F;
      scale = clipped_weight(weight, clip, squares > 0.0F ? squares : 0.0F,
                             squared_length(inputs, example, lanes));
    }
    if (!lanes.owns(0)) return;
    sums.scales[example] = scale;
    if (results.losses == nullptr) return;
    const bool is_there = batch.has(example);
    results.set(example, is_there ? weight * (std::log(sum) - distance) : 0.0F, is_there,
                is_there ? static_cast<float>(classes) : 0.0F);
  }

 private:
  CANE_HOST_DEVICE bool is_learned(std::int64_t example) const {
    return example < (takes_quarter ? (batch.step->count + 3) / 4 : batch.step->count);
  }
};

/// Scores become d loss / d score.
struct DifferentiateBlock {
  BatchView batch;
  SoftmaxSums sums;
  ClassBlock block;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    float* scores = block.scores + static_cast<std::uint64_t>(example) * block.pitch;
    const float scale = sums.scales[example];
    const float high = sums.largest[example];
    const float factor = scale / sums.sums[example];
    const std::uint32_t label = batch.labels[example] - block.first;
    for (std::uint32_t k = lanes.from(0); k < block.count; k += lanes.stride()) {
      const float value = scale == 0.0F ? 0.0F : factor * std::exp(scores[k] - high);
      scores[k] = k == label ? value - scale : value;
    }
  }
};

/// Multiplies the rows of a block of classes by decay^examples. An item is a row.
struct DecayRow {
  const StepState* step;
  RowTable table;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t row, const Lanes& lanes) const {
    const float factor = std::pow(step->decay, static_cast<float>(step->count));
    float* weights = table.row(static_cast<std::uint64_t>(row));
    for (std::uint32_t c = lanes.from(0); c <= table.width; c += lanes.stride()) {
      weights[c] *= factor;
    }
  }
};

/// out = in^2, for the squares of AdaGrad. An item is a row of `pitch` floats.
struct SquareRow {
  const float* in;
  float* out;
  std::uint64_t pitch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t row, const Lanes& lanes) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(row) * pitch;
    for (std::uint32_t c = lanes.from(0); c < pitch; c += lanes.stride()) {
      out[begin + c] = in[begin + c] * in[begin + c];
    }
  }
};

/// A step of AdaGrad on a row whose squares have been added already.
struct AdaptRow {
  RowTable table;
  const float* gradient;  // [rows, table.pitch]

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t row, const Lanes& lanes) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(row) * table.pitch;
    for (std::uint32_t c = lanes.from(0); c <= table.width; c += lanes.stride()) {
      table.weights[begin + c] += *table.minus_rate * gradient[begin + c] /
                                  std::sqrt(table.squares[begin + c] + kTinySquare);
    }
  }
};

}  // namespace cane::device

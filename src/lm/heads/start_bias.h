// Where the biases of words begin: at the logarithms of their frequencies. Before anything is
// learned the scores are then those of a unigram model, and nearly normalised.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace cane::lm {

inline torch::Tensor start_bias(std::span<const std::uint64_t> counts) {
  double total = 0.0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count) + 1.0;
  std::vector<float> bias;
  bias.reserve(counts.size());
  for (const std::uint64_t count : counts) {
    bias.push_back(static_cast<float>(std::log((static_cast<double>(count) + 1.0) / total)));
  }
  return torch::tensor(bias);
}

}  // namespace cane::lm

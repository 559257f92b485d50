// The light n-gram model of selection ngram: the words that followed a word in the corpus,
// interpolated with the noise law of all words. Its best words outside the fixed candidates are the
// candidates of a context; the other successors, mixed with the base law in Witten and Bell's
// proportion, form the law that noises are drawn from.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/plain/law.h"
#include "lm/sampled/bigram_counts.h"

namespace cane::lm {

class SuccessorLaw {
 public:
  /// `order`: all words, the most frequent first; `excluded`: the fixed candidates.
  SuccessorLaw(const BigramCounts& bigrams, std::span<const std::int32_t> order,
               const std::vector<bool>& excluded, std::int64_t candidates, torch::Device device);

  /// [words, candidates] int32: the best words after each word, filled up with the most frequent
  /// ones; kernels::kNoClass where there are too few words outside the fixed candidates.
  const torch::Tensor& best() const { return best_; }

  /// Valid as long as this object.
  kernels::SuccessorView view() const;

 private:
  torch::Tensor best_;
  torch::Tensor offsets_;
  torch::Tensor words_;
  torch::Tensor shares_;
  torch::Tensor cells_;
  torch::Tensor weights_;
};

}  // namespace cane::lm

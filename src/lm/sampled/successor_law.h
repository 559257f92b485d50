// The light n-gram model of selection ngram: the words that followed a word in the corpus,
// interpolated with the noise law of all words. Its best words outside the fixed candidates are the
// candidates of a context; the other successors, mixed with the base law in Witten and Bell's
// proportion, form the law that noises are drawn from.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "lm/sampled/draws.h"

namespace cane::lm {

// How often each word followed each other word in a corpus.

/// The successors of context c are at offsets[c] .. offsets[c + 1], in ascending order. Pairs that
/// occurred less often than the minimum are left out, but count in `kinds`.
struct BigramCounts {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> kinds;  // [words] different successors of a context
};

/// Tokens are below `words`. A pair seen once predicts little on other text, but is always right on
/// the training text itself; `least` = 2 leaves such pairs out.
BigramCounts count_bigrams(std::span<const std::uint32_t> tokens, std::uint32_t words,
                           std::uint32_t least = 2);

class SuccessorLaw {
 public:
  /// `order`: all words, the most frequent first; `excluded`: the fixed candidates.
  SuccessorLaw(const BigramCounts& bigrams, std::span<const std::int32_t> order,
               const std::vector<bool>& excluded, std::int64_t candidates, torch::Device device);

  /// [words, candidates] int64: the best words after each word, filled up with the most frequent
  /// ones; kNoWord where there are too few words outside the fixed candidates.
  const torch::Tensor& best() const { return best_; }

  /// The probabilities of words [tokens, any] after a context each [tokens], mixed with those of
  /// the law of all words.
  torch::Tensor masses(const torch::Tensor& contexts, const torch::Tensor& words,
                       const torch::Tensor& of_all) const;
  /// Draws from the mixture by three uniform numbers [tokens, any]; `of_all` was drawn from the law
  /// of all words.
  torch::Tensor draw(const torch::Tensor& contexts, const torch::Tensor& coin,
                     const torch::Tensor& where, const torch::Tensor& level,
                     const torch::Tensor& of_all) const;

 private:
  torch::Tensor best_;
  torch::Tensor offsets_;  // [words + 1] where the other successors of a context begin
  torch::Tensor words_;
  torch::Tensor pairs_;  // context x words + successor, ascending
  torch::Tensor shares_;
  torch::Tensor weights_;  // [words] of a context's successors in the mixture; 0 if none
  AliasTensors cells_;
};

}  // namespace cane::lm

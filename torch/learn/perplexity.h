// How well a model predicts a text: every word once, given the words before it, with the exact
// normaliser over all words. The self-normalised perplexity takes the scores as log-probabilities
// as they are; for a head that learned to be normalised the two agree.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "torch/learn/language_model.h"

namespace cane::lm {

struct Perplexity {
  double exact = 0.0;
  double self_normalized = 0.0;
  double log_normalizer = 0.0;  // its mean
  std::uint64_t tokens = 0;
  double seconds = 0.0;
};

/// `stop` is asked now and then; true ends it early, with what was measured so far.
Perplexity measure_perplexity(
    LanguageModel& model, std::span<const WordId> text,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace cane::lm

// Measures how well a model predicts a text: every word once, given the words before it, with the
// exact normaliser over all words. The self-normalised perplexity takes the raw scores as
// log-probabilities; for a head that learned to be normalised the two agree.
#pragma once

#include <cstdint>
#include <span>

#include "lm/engine/language_model.h"

namespace cane::lm {

struct Perplexity {
  double exact = 0.0;
  double self_normalized = 0.0;
  double log_normalizer = 0.0;  // its mean
  std::uint64_t tokens = 0;
  double seconds = 0.0;
};

Perplexity measure_perplexity(LanguageModel& model, std::span<const WordId> text);

}  // namespace cane::lm

// The sampled output layers, by their options.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lm/heads/output_layer.h"
#include "lm/sampled/bigram_counts.h"
#include "lm/sampled/options.h"

namespace cane::lm {

/// word_counts[w]: how often word w occurs in the training text; hidden states have `width`
/// numbers. `bigrams` (count_bigrams of the training text) is needed for selection ngram only, and
/// not kept. Throws Error if the options contradict each other or the vocabulary.
std::shared_ptr<OutputLayer> make_sampled_layer(const SampledOptions& options,
                                                const std::vector<std::uint64_t>& word_counts,
                                                std::int64_t width, std::uint64_t seed,
                                                torch::Device device,
                                                const BigramCounts* bigrams = nullptr);

}  // namespace cane::lm

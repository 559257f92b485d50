#include "lm/sampled/make_sampled_layer.h"

#include "lm/sampled/sampled_layer.h"

namespace cane::lm {

std::shared_ptr<OutputLayer> make_sampled_layer(const SampledOptions& options,
                                                const std::vector<std::uint64_t>& word_counts,
                                                std::int64_t width, std::uint64_t seed,
                                                torch::Device device, const BigramCounts* bigrams) {
  check(options, static_cast<std::int64_t>(word_counts.size()));
  return std::make_shared<SampledLayer>(options, word_counts, width, seed, device, bigrams);
}

}  // namespace cane::lm

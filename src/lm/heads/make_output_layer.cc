#include "lm/heads/make_output_layer.h"

#include <algorithm>

#include "cane/error.h"
#include "layer/sampled_method.h"
#include "lm/heads/dense_layers.h"
#include "lm/sampled/sampled_layer.h"

namespace cane::lm {
namespace {

NoiseLawKind noise_named(const HeadOptions& options, Method method) {
  switch (options.noise) {
    case HeadNoise::kAuto:
      return row_of(method).takes_uniform_noise_only ? NoiseLawKind::kUniform
                                                     : NoiseLawKind::kUnigram;
    case HeadNoise::kUniform:
      return NoiseLawKind::kUniform;
    case HeadNoise::kUnigram:
      return NoiseLawKind::kUnigram;
    case HeadNoise::kNgram:
      return NoiseLawKind::kNgram;
  }
  throw Error("a head without a law of noises");
}

SampledOptions sampled_options(const HeadOptions& options, std::int64_t words) {
  constexpr std::int64_t kShare = 5;
  constexpr std::int64_t kMaxFrequent = 2000;
  SampledOptions sampled;
  sampled.method = layer::sampled_method("head", options.name);
  sampled.selection = parse_selection(options.select);
  sampled.frequent = options.frequent > 0
                         ? options.frequent
                         : std::clamp<std::int64_t>(words / kShare, 1, kMaxFrequent);
  sampled.candidates = options.candidates;
  sampled.noises = options.noises;
  sampled.shared_noises = !options.own_noises;
  sampled.noise = noise_named(options, sampled.method);
  sampled.power = static_cast<float>(options.noise_power);
  sampled.subsets = options.subsets;
  sampled.rank = options.rank;
  return sampled;
}

std::shared_ptr<OutputLayer> make_sampled(const HeadOptions& options,
                                          std::span<const std::uint64_t> counts,
                                          std::span<const std::uint32_t> text, std::int64_t width,
                                          std::uint64_t seed, torch::Device device) {
  const SampledOptions sampled = sampled_options(options, static_cast<std::int64_t>(counts.size()));
  BigramCounts bigrams;
  if (sampled.selection.own == OwnCandidates::kNgram) {
    // Candidates must not depend on the label. A rare pair is a candidate mostly where it is the
    // label; a frequent one would be a candidate even without this occurrence.
    constexpr std::uint32_t kMin = 10;
    bigrams = count_bigrams(text, static_cast<std::uint32_t>(counts.size()), kMin);
  }
  const std::vector<std::uint64_t> word_counts(counts.begin(), counts.end());
  return std::make_shared<SampledLayer>(sampled, word_counts, width, seed, device, &bigrams);
}

}  // namespace

std::shared_ptr<OutputLayer> make_output_layer(const HeadOptions& options,
                                               std::span<const std::uint64_t> counts,
                                               std::span<const std::uint32_t> text,
                                               std::int64_t width, std::uint64_t seed,
                                               torch::Device device) {
  const auto words = static_cast<std::int64_t>(counts.size());
  std::shared_ptr<OutputLayer> layer;
  if (options.name == "softmax") {
    layer = std::make_shared<SoftmaxLayer>(counts, width);
  } else if (options.name == "adaptive") {
    layer = std::make_shared<AdaptiveLayer>(words, width);
  } else {
    layer = make_sampled(options, counts, text, width, seed, device);
  }
  layer->to(device);
  return layer;
}

}  // namespace cane::lm

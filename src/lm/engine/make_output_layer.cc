#include "lm/engine/make_output_layer.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cane/error.h"
#include "lm/heads/output_layer.h"
#include "lm/sampled/sampled_layer.h"

namespace cane::lm {
namespace {

// The full softmax: a row and a bias for every word, all of them scored and updated at every step.
class SoftmaxLayer : public OutputLayer {
 public:
  SoftmaxLayer(std::span<const std::uint64_t> counts, std::int64_t width);

  torch::Tensor loss(const torch::Tensor& hidden, const TokenBatch& batch,
                     const torch::Tensor& step) override;
  torch::Tensor scores(const torch::Tensor& hidden) override;

 private:
  torch::Tensor class_rows_;
  torch::Tensor class_bias_;
};

// PyTorch's adaptive softmax (Grave et al. 2017): frequent words in a short list, the others in
// clusters of decreasing width. It expects words numbered by decreasing count.
class AdaptiveLayer : public OutputLayer {
 public:
  AdaptiveLayer(std::int64_t words, std::int64_t width);

  torch::Tensor loss(const torch::Tensor& hidden, const TokenBatch& batch,
                     const torch::Tensor& step) override;
  torch::Tensor scores(const torch::Tensor& hidden) override;
  bool is_recordable() const override { return false; }

 private:
  torch::nn::AdaptiveLogSoftmaxWithLoss softmax_ = nullptr;
};

// The cuts of the authors: a fifth of the words, then half.
std::vector<std::int64_t> cutoffs(std::int64_t words) {
  std::vector<std::int64_t> cuts = {std::max<std::int64_t>(words / 5, 1)};
  if (words / 2 > cuts.back()) cuts.push_back(words / 2);
  return cuts;
}

SoftmaxLayer::SoftmaxLayer(std::span<const std::uint64_t> counts, std::int64_t width) {
  const auto words = static_cast<std::int64_t>(counts.size());
  const double range = 1.0 / std::sqrt(static_cast<double>(width));
  class_rows_ =
      register_parameter("class_rows", torch::empty({words, width}).uniform_(-range, range));
  class_bias_ = register_parameter("class_bias", start_bias(counts));
}

torch::Tensor SoftmaxLayer::loss(const torch::Tensor& hidden, const TokenBatch& batch,
                                 const torch::Tensor& /*step*/) {
  const torch::Tensor all = scores(hidden.flatten(0, 1));
  return torch::nn::functional::cross_entropy(all, batch.labels.reshape({-1}));
}

torch::Tensor SoftmaxLayer::scores(const torch::Tensor& hidden) {
  const auto type = hidden.scalar_type();
  return torch::addmm(class_bias_.to(type), hidden, class_rows_.to(type).t()).to(torch::kFloat32);
}

AdaptiveLayer::AdaptiveLayer(std::int64_t words, std::int64_t width) {
  // Each cluster is four times narrower than the one before, if the width allows it.
  constexpr std::int64_t kWideEnough = 16;
  torch::nn::AdaptiveLogSoftmaxWithLossOptions options(width, words, cutoffs(words));
  options.div_value(width < kWideEnough ? 1.0 : 4.0);
  softmax_ = register_module("adaptive", torch::nn::AdaptiveLogSoftmaxWithLoss(options));
}

torch::Tensor AdaptiveLayer::loss(const torch::Tensor& hidden, const TokenBatch& batch,
                                  const torch::Tensor& /*step*/) {
  const torch::Tensor states = hidden.flatten(0, 1).to(torch::kFloat32);
  return -softmax_->forward(states, batch.labels.reshape({-1})).output.mean();
}

torch::Tensor AdaptiveLayer::scores(const torch::Tensor& hidden) {
  return softmax_->log_prob(hidden.to(torch::kFloat32));
}

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
  sampled.method = sampled_method(options.name);
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

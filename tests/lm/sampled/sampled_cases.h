// Every method and selection over a small vocabulary of odd sizes, for tests that hold for all.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "lm/sampled/sampled_loss.h"
#include "lm/sampled/shortlist_maker.h"
#include "methods/with_objective.h"

namespace cane::lm {

inline constexpr std::int64_t kCaseWords = 23;
inline constexpr std::int64_t kCaseWidth = 5;
inline constexpr std::int64_t kCaseLength = 3;
inline constexpr std::int64_t kCaseStreams = 7;

inline std::vector<std::uint64_t> case_counts() {
  std::vector<std::uint64_t> values;
  for (std::uint64_t word = 0; word < kCaseWords; ++word) values.push_back(1 + (word * 37) % 50);
  return values;
}

struct SampledCase {
  std::string name;
  SampledOptions options;
};

inline std::vector<SampledCase> sampled_cases() {
  std::vector<SampledCase> cases;
  for (const char* selection :
       {"frequent", "batch", "frequent+batch", "subset", "low-rank", "ngram", "frequent+ngram",
        "ngram+batch", "frequent+low-rank+batch"}) {
    for (const bool shared : {true, false}) {
      SampledOptions options;
      options.selection = parse_selection(selection);
      options.frequent = 6;
      options.candidates = 4;
      options.noises = 3;
      options.subsets = 3;
      options.rank = 2;
      options.shared_noises = shared;
      cases.push_back({selection, options});
    }
  }
  cases.back().options.power = 0.0F;
  SampledOptions ngram = cases[12].options;
  ngram.shared_noises = false;
  ngram.noise = NoiseLawKind::kNgram;
  cases.push_back({"ngram noise", ngram});
  for (const char* method : {"nce", "neg", "blackout", "ove", "css"}) {
    for (const bool shared : {true, false}) {
      SampledOptions options;
      options.method = sampled_method(method);
      options.noises = 5;
      options.shared_noises = shared;
      if (row_of(options.method).takes_uniform_noise_only) {
        options.noise = NoiseLawKind::kUniform;
      }
      cases.push_back({method, options});
    }
  }
  return cases;
}

inline FlatBatch case_batch() {
  // Few different words, so that many are repeated.
  return {torch::randint(0, kCaseWords, {kCaseLength * kCaseStreams}, torch::kInt64),
          torch::randint(0, kCaseWords, {kCaseLength * kCaseStreams}, torch::kInt64), kCaseStreams};
}

inline BigramCounts case_bigrams() {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < 2000; ++i) tokens.push_back((i * i + i / 7) % kCaseWords);
  return count_bigrams(tokens, kCaseWords);
}

inline torch::Tensor case_candidates(const SampledOptions& options, std::int64_t tokens) {
  if (options.method != Method::kCane) return {};
  if (options.selection.own == OwnCandidates::kSubset) {
    return torch::randint(0, options.subsets, {tokens}, torch::kInt64);
  }
  if (options.selection.own == OwnCandidates::kLowRank) {
    return torch::rand({tokens, kCaseWords})
        .argsort(std::int64_t{1})
        .narrow(1, 0, options.candidates)
        .to(torch::kInt64);
  }
  return {};
}

inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.cpu().to(torch::kFloat64) - b.cpu().to(torch::kFloat64)).abs().max().item<double>();
}

}  // namespace cane::lm

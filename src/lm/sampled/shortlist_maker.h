// Makes the shortlists of a batch: fixed candidates, labels of the batch, the tokens' own
// candidates, noises, and the exact q of each. Keeps the tables that this needs on the device.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layer/noise_law.h"
#include "layer/shortlists.h"
#include "lm/sampled/options.h"
#include "lm/sampled/successor_law.h"

namespace cane::lm {

/// A batch as rows of tokens: token = time * streams + stream.
struct FlatBatch {
  torch::Tensor contexts;  // [tokens] int64, contiguous
  torch::Tensor labels;    // [tokens] int64, contiguous
  std::int64_t streams = 1;
};

class ShortlistMaker {
 public:
  /// `bigrams` is needed for selection ngram only.
  ShortlistMaker(const SampledOptions& options, std::span<const std::uint64_t> counts,
                 const BigramCounts* bigrams, std::uint64_t seed, torch::Device device);

  /// `own`: for selection low-rank the candidates [tokens, candidates] int32, distinct or
  /// kernels::kNoClass; for subset the chosen subset [tokens] int64; otherwise undefined.
  layer::Shortlists make(const FlatBatch& batch, const torch::Tensor& own,
                         const torch::Tensor& step);

  /// Like make, but with the given noises instead of drawn ones: [tokens, noises] or, if shared,
  /// [noises]. For tests that enumerate all possible draws.
  layer::Shortlists make_with_noises(const FlatBatch& batch, const torch::Tensor& own,
                                     const torch::Tensor& step, const torch::Tensor& noises);

  /// Fixed candidates [F] int64.
  const torch::Tensor& fixed_classes() const { return fixed_classes_; }
  /// The law that noises are drawn from, before the tokens' own candidates are excluded.
  kernels::LawView law() const;
  /// The masses [words] of a law that does not depend on the context.
  const torch::Tensor& law_masses() const { return law_->masses(); }

  /// Share of the labels that were among the candidates since the last call; negative if no label
  /// was counted. Waits for the device.
  double take_coverage();

  /// For selection subset: [words] int32, the subset of each word.
  const torch::Tensor& subset_of_class() const { return subset_of_class_; }

 private:
  kernels::ShortlistShape shape_for(std::int64_t tokens) const;
  layer::Shortlists begin(const FlatBatch& batch, const torch::Tensor& own,
                          const torch::Tensor& step);
  void draw_noises(layer::Shortlists& lists, const FlatBatch& batch,
                   const torch::Tensor& step) const;
  void finish(layer::Shortlists& lists, const FlatBatch& batch);
  void build_subsets(std::span<const std::uint64_t> counts);

  SampledOptions options_;
  std::int64_t words_;
  std::uint64_t seed_;
  torch::Device device_;
  torch::Tensor fixed_classes_;
  torch::Tensor shared_classes_;  // as in a batch, before anything is drawn
  torch::Tensor covered_;         // [2] labels among the candidates, tokens
  torch::Tensor column_of_class_;
  torch::Tensor subset_of_class_;
  torch::Tensor subset_offsets_;
  torch::Tensor subset_classes_;
  std::unique_ptr<layer::NoiseLaw> law_;
  std::unique_ptr<SuccessorLaw> successors_;
};

}  // namespace cane::lm

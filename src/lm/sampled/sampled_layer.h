// An output layer trained on a few words for each token: CANE with any selection, and the methods
// that contrast the label with noises. Each word has a row and a bias; selection subset adds the
// score of the word's subset (a path sum), selection low-rank keeps a second, cheap scorer that is
// trained with the same objective over the same words.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "lm/heads/output_layer.h"
#include "lm/sampled/sampled_loss.h"
#include "lm/sampled/shortlist_maker.h"

namespace cane::lm {

class SampledLayer final : public OutputLayer {
 public:
  /// word_counts[w]: how often word w occurs in the training text; hidden states have `width`
  /// numbers. `bigrams` (count_bigrams of the training text) is needed for selection ngram only,
  /// and not kept. Throws Error if the options contradict each other or the vocabulary.
  SampledLayer(const SampledOptions& options, const std::vector<std::uint64_t>& word_counts,
               std::int64_t width, std::uint64_t seed, torch::Device device,
               const BigramCounts* bigrams = nullptr);

  torch::Tensor loss(const torch::Tensor& hidden, const TokenBatch& batch,
                     const torch::Tensor& step) override;
  std::vector<RowGradient> take_row_gradients() override;
  torch::Tensor scores(const torch::Tensor& hidden) override;
  double take_coverage() override;

  /// The class rows, to be shared with an embedding of the same shape.
  const RowTables& tables() const { return tables_; }

 private:
  torch::Tensor own_candidates(const torch::Tensor& hidden) const;
  torch::Tensor best_of_low_rank(const torch::Tensor& hidden) const;
  torch::Tensor low_rank_loss(const torch::Tensor& hidden, const Shortlists& lists) const;
  bool has_own(OwnCandidates own) const;

  SampledOptions options_;
  ShortlistMaker maker_;
  RowTables tables_;
  SubsetTables subsets_;
  torch::Tensor projection_;  // [rank, width], a parameter
  RowTables low_rank_;
  std::shared_ptr<RowGradientSink> sink_ = std::make_shared<RowGradientSink>();
};

}  // namespace cane::lm

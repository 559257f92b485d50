// Makes the shortlists of a batch: fixed candidates, labels of the batch, the tokens' own
// candidates, noises, and the exact q of each. Keeps the tables that this needs on the device.
//
// The law that noises are drawn from excludes only the words that are always candidates. Dropping
// the draws that fall on other candidates leaves independent draws from the law outside them,
// however many are left, so the mean over these is an unbiased estimate; their log q is
//   log mass(w) - log(1 - mass of the candidates).
// If none is left although there are words outside, or if there are no candidates, the token is
// left out, for any label: this depends on candidates and draws alone, so consistency is preserved.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lm/sampled/draws.h"
#include "lm/sampled/objectives.h"
#include "lm/sampled/options.h"
#include "lm/sampled/successor_law.h"

namespace cane::lm {

/// A batch as rows of tokens: token = time * streams + stream.
struct FlatBatch {
  torch::Tensor contexts;  // [tokens] int64, contiguous
  torch::Tensor labels;    // [tokens] int64, contiguous
  std::int64_t streams = 1;
};

/// The columns of a token: first its own words [noises | label | candidates], then those that the
/// batch shares [candidates | noises], which one matrix product scores. Noises are drawn for each
/// token or for the batch.
struct Shortlists {
  torch::Tensor own;       // [tokens, own columns] int64; kNoWord: none
  torch::Tensor shared;    // [shared columns] int64; kNoWord: none
  torch::Tensor seen;      // [tokens, words of the batch] bool; undefined: there are none
  std::int64_t fixed = 0;  // shared candidates before the words of the batch
  ListedColumns listed;
  torch::Tensor left_out;  // [tokens] bool
};

class ShortlistMaker {
 public:
  /// `bigrams` is needed for selection ngram only.
  ShortlistMaker(const SampledOptions& options, std::span<const std::uint64_t> counts,
                 const BigramCounts* bigrams, std::uint64_t seed, torch::Device device);

  /// `own`: for selection low-rank the candidates [tokens, candidates] int64, distinct or kNoWord;
  /// for subset the chosen subset [tokens] int64; otherwise undefined.
  Shortlists make(const FlatBatch& batch, const torch::Tensor& own, const torch::Tensor& step);

  /// Like make, but with the given noises instead of drawn ones: [tokens, noises] or, if shared,
  /// [noises]. For tests that enumerate all possible draws.
  Shortlists make_with_noises(const FlatBatch& batch, const torch::Tensor& own,
                              const torch::Tensor& step, const torch::Tensor& noises);

  /// Fixed candidates [F] int64.
  const torch::Tensor& fixed_classes() const { return fixed_classes_; }
  /// The probabilities of words [tokens, any] after contexts [tokens] in the law that noises are
  /// drawn from, before the tokens' own candidates are excluded.
  torch::Tensor masses_of(const torch::Tensor& contexts, const torch::Tensor& words) const;
  /// The masses [words] of the law of all contexts.
  const torch::Tensor& law_masses() const { return law_->masses(); }

  /// Share of the labels that were among the candidates since the last call; negative if no label
  /// was counted. Waits for the device.
  double take_coverage();

  /// For selection subset: [words] int64, the subset of each word.
  const torch::Tensor& subset_of_class() const { return subset_of_class_; }

 private:
  struct BatchWords;

  void build_subsets(std::span<const std::uint64_t> counts);
  bool has_own(OwnCandidates own) const;
  bool has_successor_noises() const { return options_.noise == NoiseLawKind::kNgram; }
  BatchWords words_of(const FlatBatch& batch) const;
  torch::Tensor drawn_from_subsets(const torch::Tensor& chosen, const torch::Tensor& step) const;
  torch::Tensor candidates_of(const FlatBatch& batch, const torch::Tensor& own,
                              const torch::Tensor& step) const;
  torch::Tensor drawn_noises(const FlatBatch& batch, const torch::Tensor& step) const;
  Shortlists finished_with_candidates(const FlatBatch& batch, torch::Tensor own,
                                      const torch::Tensor& noises);
  Shortlists finished_with_labels(const FlatBatch& batch, const torch::Tensor& noises) const;
  void list(Shortlists& lists, const FlatBatch& batch, const torch::Tensor& own,
            const torch::Tensor& candidates, const torch::Tensor& noises) const;
  torch::Tensor among_own(const torch::Tensor& own, const torch::Tensor& words) const;

  SampledOptions options_;
  std::int64_t words_;
  std::uint64_t seed_;
  torch::Device device_;
  torch::Tensor fixed_classes_;
  torch::Tensor covered_;   // [2] labels among the candidates, tokens
  torch::Tensor place_of_;  // [words + 1] among the shared candidates, or -1; the last is scratch
  torch::Tensor scratch_;   // [words + 1]
  torch::Tensor subset_of_class_;
  torch::Tensor subset_offsets_;
  torch::Tensor subset_classes_;
  std::unique_ptr<NoiseLaw> law_;
  std::unique_ptr<SuccessorLaw> successors_;
};

}  // namespace cane::lm

// The shortlist of each token of a batch, and the log-probabilities of the noises, as tensors;
// candidates.h and assemble.h define their contents.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "lm/sampled/plain/arguments.h"

namespace cane::lm {

struct Shortlists {
  ShortlistShape shape;
  std::int64_t streams = 1;
  std::int64_t fixed = 0;
  torch::Tensor token_words;    // [tokens, shape.token_words()] int32; kNoWord: none
  torch::Tensor shared_words;   // [shape.shared_columns()] int32; kNoWord: none, and for the label
  torch::Tensor visible_after;  // [shared_candidates - fixed] int32
  torch::Tensor log_q;          // [tokens, 1 + noises]
  torch::Tensor label_at;       // [tokens] int32
  torch::Tensor drawn;          // [tokens] int32

  CandidateView candidates() const;
};

}  // namespace cane::lm

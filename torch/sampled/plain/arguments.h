// What the kernels of the sampled layers take: plain pointers and sizes. The kernels of both
// devices have the same names and arguments, those of the GPU a stream more (cpu/kernels.h,
// cuda/kernels.h).
#pragma once

#include <cstdint>

#include "torch/sampled/plain/draws.h"
#include "torch/sampled/plain/objective.h"

namespace cane::lm {

struct DrawArguments {
  ShortlistShape shape;
  LawView law;
  std::uint64_t seed = 0;
  const std::int64_t* step = nullptr;      // one value, on the device
  const std::int64_t* contexts = nullptr;  // [tokens]; read only by a law with successors
  std::int32_t* token_words = nullptr;     // [tokens, shape.token_words()]
  std::int32_t* shared_words = nullptr;    // [shape.shared_words()]
};

struct SubsetArguments {
  ShortlistShape shape;
  SubsetView subsets;
  std::uint64_t seed = 0;
  const std::int64_t* step = nullptr;
  const std::int64_t* chosen = nullptr;  // [tokens] a subset
  std::int32_t* token_words = nullptr;
};

/// Labels of the batch as candidates. column_of_word is read and written: entries of words that are
/// always candidates stay, `forget_batch_words` restores the others.
struct BatchWordArguments {
  std::int64_t tokens = 0;
  std::int64_t streams = 1;
  std::int32_t first_column = 0;           // after the words that are always candidates
  const std::int64_t* labels = nullptr;    // [tokens]
  std::int32_t* column_of_word = nullptr;  // [words]
  std::int32_t* words = nullptr;           // [tokens] out: a word or kNoWord
  std::int32_t* visible_after = nullptr;   // [tokens] out
};

/// Scores of the words of each token alone, and the way back.
struct GatherArguments {
  ShortlistShape shape;
  std::int64_t width = 0;
  const float* hidden = nullptr;              // [tokens, width]
  const float* weight = nullptr;              // [words, width]
  const float* bias = nullptr;                // [words]
  const std::int32_t* token_words = nullptr;  // [tokens, shape.token_words()]
  float* scores = nullptr;                    // [tokens, stride]; on the way back the gradient
  float* hidden_gradient = nullptr;           // [tokens, width], added to
};

/// Scores along the paths of a tree of one layer: the score of its subset is added to that of every
/// word; on the way back the gradients of the words of a subset are summed.
struct PathArguments {
  ShortlistShape shape;
  std::int64_t subsets = 0;
  const std::int32_t* subset_of_word = nullptr;  // [words]
  const std::int32_t* token_words = nullptr;
  const std::int32_t* shared_words = nullptr;
  float* scores = nullptr;         // [tokens, stride]
  float* subset_scores = nullptr;  // [tokens, subsets]; on the way back its gradient
};

}  // namespace cane::lm

// Arguments of the kernels of the sampled layers: plain pointers and sizes. The kernels of both
// devices have the same names and arguments; those for the GPU take a stream in addition
// (cpu/kernels.h, cuda/kernels.h).
#pragma once

#include <cstdint>

#include "lm/sampled/plain/draws.h"
#include "lm/sampled/plain/objective.h"

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
/// always candidates stay, and `forget_batch_words` restores the others.
struct BatchWordArguments {
  std::int64_t tokens = 0;
  std::int64_t streams = 1;
  std::int32_t first_column = 0;           // after the words that are always candidates
  const std::int64_t* labels = nullptr;    // [tokens]
  std::int32_t* column_of_word = nullptr;  // [words]
  std::int32_t* words = nullptr;           // [tokens] out: a word or kNoWord
  std::int32_t* visible_after = nullptr;   // [tokens] out
};

/// Scores of each token's own words, and the backward pass.
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

/// Rows extended so that a product with them adds the bias, and its backward pass leaves the
/// gradient of the bias in the same place: [row | bias | zeros up to whole vectors].
struct WidenArguments {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t wide = 0;                // at least width + 1
  const std::int32_t* words = nullptr;  // [count] which rows, kNoWord: zeros; null: all in order
  const float* rows = nullptr;          // [.., width]
  const float* biases = nullptr;        // [..]; null: 1
  const float* scale = nullptr;         // factor on rows and biases, one value; null: 1
  float* out = nullptr;                 // [count, wide]
};

/// The value at column c of row i.
CANE_HOST_DEVICE inline float widened_number(const WidenArguments& task, std::int64_t i,
                                             std::int64_t c) {
  const std::int64_t row = task.words == nullptr ? i : task.words[i];
  if (row == kNoWord || c > task.width) return 0.0F;
  const float bias = task.biases == nullptr ? 1.0F : task.biases[row];
  const float value = c < task.width ? task.rows[row * task.width + c] : bias;
  return task.scale == nullptr ? value : *task.scale * value;
}

/// The gradients of the class rows, by word: first those of the words that the batch shares,
/// already summed over the tokens, then gradient x hidden of the tokens' own words. All rows have
/// `width` numbers, the gradient of the bias among them.
struct RowSumArguments {
  ShortlistShape shape;
  std::int64_t words = 0;  // size of the vocabulary
  std::int64_t width = 0;
  std::int64_t shared = 0;
  const std::int32_t* shared_words = nullptr;  // [shared]
  const float* shared_rows = nullptr;          // [shared, width]
  const std::int32_t* token_words = nullptr;   // [tokens, shape.token_words()]
  const float* hidden = nullptr;               // [tokens, width]
  const float* gradient = nullptr;             // [tokens, stride]

  CANE_HOST_DEVICE std::int64_t token_entries() const { return shape.tokens * shape.token_words(); }
  CANE_HOST_DEVICE std::int64_t entries() const { return shared + token_entries(); }
  CANE_HOST_DEVICE std::int32_t word(std::int64_t entry) const {
    return entry < shared ? shared_words[entry] : token_words[entry - shared];
  }
  CANE_HOST_DEVICE const float* row(std::int64_t entry) const {
    if (entry < shared) return shared_rows + entry * width;
    return hidden + (entry - shared) / shape.token_words() * width;
  }
  CANE_HOST_DEVICE float scale(std::int64_t entry) const {
    if (entry < shared) return 1.0F;
    const std::int64_t token = (entry - shared) / shape.token_words();
    const std::int64_t place = (entry - shared) % shape.token_words();
    return gradient[token * shape.stride() + shape.column_of_token_word(place)];
  }
};

/// Scores along the paths of a one-layer tree: the score of its subset is added to that of every
/// word; the backward pass sums the gradients of the words of a subset.
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

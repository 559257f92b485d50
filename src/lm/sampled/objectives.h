// The objectives of src/core/objective for all tokens of a batch at once: the scores of what is
// listed for a token become d loss / d score, in place. A column that is absent for a token has a
// score of minus infinity, and gets a gradient of zero.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <limits>

#include "cane/config.h"

namespace cane::lm {

inline constexpr float kAbsentScore = -std::numeric_limits<float>::infinity();

/// What is listed for the tokens, beside the scores [tokens, columns].
struct ListedColumns {
  std::int64_t classes = 0;          // of the whole problem
  std::int64_t first_candidate = 0;  // the candidates are adjacent columns
  std::int64_t candidates = 0;
  std::int64_t first_noise = 0;  // and so are the noises
  std::int64_t noises = 0;
  std::int64_t label_column = 0;  // where the label stands if it is no candidate
  torch::Tensor label_at;         // [tokens] int64: that column, or the label's candidate
  torch::Tensor label_log_q;      // [tokens]; infinity where the label is a candidate
  torch::Tensor log_q;            // [tokens, noises]
  torch::Tensor drawn;            // [tokens] float32: noises that are not absent
};

/// The losses [tokens] of a method that has an objective over noises.
torch::Tensor losses_to_gradients(Method method, const ListedColumns& listed, torch::Tensor scores);

}  // namespace cane::lm

// The candidates of a token. Some belong to the whole batch: words that are always candidates, then
// labels of the batch. A label of the batch is a candidate of a token unless all its occurrences
// are in the token's own stream and not before it: a model of the next word cannot know these, and
// candidates that reveal the label would make the estimate inconsistent. Host and device.
#pragma once

#include <cstdint>
#include <limits>

#include "lm/sampled/plain/law.h"
#include "lm/sampled/plain/shape.h"

namespace cane::lm {

inline constexpr std::int32_t kNoColumn = std::numeric_limits<std::int32_t>::max();
/// Values of visible_after that are not the index of a token.
inline constexpr std::int32_t kSeenByAll = -1;
inline constexpr std::int32_t kSeenByNone = -2;

struct CandidateView {
  ShortlistShape shape;
  std::int64_t streams = 1;  // token = time * streams + stream
  std::int64_t fixed = 0;    // shared candidates that are always there, outside the noise law
  const std::int32_t* token_words = nullptr;  // [tokens, shape.token_words()]
  const std::int32_t* column_of_word =
      nullptr;                                  // [words] among the shared candidates, or kNoColumn
  const std::int32_t* visible_after = nullptr;  // for the other shared candidates
};

CANE_HOST_DEVICE inline bool is_visible(const CandidateView& view, std::int64_t token,
                                        std::int64_t shared_column) {
  if (shared_column < view.fixed) return true;
  const std::int32_t after = view.visible_after[shared_column - view.fixed];
  if (after < 0) return after == kSeenByAll;
  return after % view.streams != token % view.streams || after < token;
}

/// The column of a word among the shared candidates that this token sees, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t shared_column(const CandidateView& view, std::int64_t token,
                                                   std::int32_t word) {
  const std::int32_t column = view.column_of_word[word];
  return column != kNoColumn && is_visible(view, token, column) ? column : kNoColumn;
}

/// The place of a word among the token's own candidates, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t own_place(const CandidateView& view, std::int64_t token,
                                               std::int32_t word) {
  const std::int32_t* own = view.token_words + token * view.shape.token_words();
  std::int32_t found = kNoColumn;
  for (std::int32_t place = 0; place < view.shape.token_candidates; ++place) {
    found = own[place] == word ? place : found;
  }
  return found;
}

/// The column of a word in the token's row of scores if it is a candidate, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t candidate_column(const CandidateView& view, std::int64_t token,
                                                      std::int32_t word) {
  const std::int32_t shared = shared_column(view, token, word);
  if (shared != kNoColumn) return static_cast<std::int32_t>(view.shape.token_candidates) + shared;
  return own_place(view, token, word);
}

}  // namespace cane::lm

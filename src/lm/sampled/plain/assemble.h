// Completes the shortlist of a token once candidates and noises are drawn. Own candidates that the
// batch already has are dropped, noises that are candidates are dropped, and every noise and the
// label get the exact log-probability with which they are drawn outside the candidates,
//   log q(w) = log mass(w) - log(1 - mass of the candidates).
//
// The law that noises are drawn from excludes only the words that are always candidates. Dropping
// the draws that fall on other candidates leaves independent draws from the law outside them,
// however many are left, so the mean over these is an unbiased estimate. If none is left although
// there are words outside, or if there are no candidates, the token is left out, whatever its
// label: this depends on candidates and draws alone, so consistency is preserved. Host and device;
// lanes as in objective/lanes.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "lm/sampled/plain/candidates.h"

namespace cane::lm {

/// Value of `drawn` for a token that is left out.
inline constexpr std::int32_t kLeftOut = -1;

struct AssembleArguments {
  CandidateView candidates;
  std::int64_t words = 0;                      // size of the vocabulary
  const std::int64_t* labels = nullptr;        // [tokens]
  const std::int64_t* contexts = nullptr;      // [tokens]; read only by a law with successors
  std::int32_t* token_words = nullptr;         // as in `candidates`; places are emptied
  const std::int32_t* shared_words = nullptr;  // [shape.shared_words()]
  LawView law;                                 // without successors if the batch shares noises
  float* log_q = nullptr;                      // [tokens, 1 + noises]: label, noises
  std::int32_t* label_at = nullptr;            // [tokens] column of the label
  std::int32_t* drawn = nullptr;               // [tokens] how many noises count, or kLeftOut
  std::int64_t* covered = nullptr;             // [2] added to: labels among the candidates, tokens
};

CANE_HOST_DEVICE inline bool is_covered(const AssembleArguments& task, std::int64_t token) {
  return task.label_at[token] < task.candidates.shape.candidates();
}

/// The context of a token; 0 if the law does not depend on it.
CANE_HOST_DEVICE inline std::int32_t context_of(const AssembleArguments& task, std::int64_t token) {
  return static_cast<std::int32_t>(task.contexts == nullptr ? 0 : task.contexts[token]);
}

struct Outside {
  float log_mass;
  std::int64_t candidates;  // how many words are inside
};

/// The part of the law outside the candidates of a token. All lanes get the same result.
template <typename Lanes>
CANE_HOST_DEVICE Outside outside_candidates(const AssembleArguments& task, std::int64_t token,
                                            const Lanes& lanes) {
  const CandidateView& view = task.candidates;
  const ShortlistShape& shape = view.shape;
  const std::int32_t context = context_of(task, token);
  float mass = 0.0F;
  float count = 0.0F;
  const std::int32_t* own = task.token_words + token * shape.token_words();
  const auto own_candidates = static_cast<std::uint32_t>(shape.token_candidates);
  for (std::uint32_t p = lanes.from(0); p < own_candidates; p += lanes.stride()) {
    if (own[p] == kNoWord) continue;
    mass += law_mass(task.law, context, own[p]);
    count += 1.0F;
  }
  const auto shared = static_cast<std::uint32_t>(shape.shared_candidates);
  const auto fixed = static_cast<std::uint32_t>(view.fixed);
  for (std::uint32_t s = lanes.from(fixed); s < shared; s += lanes.stride()) {
    if (!is_visible(view, token, s)) continue;
    mass += law_mass(task.law, context, task.shared_words[s]);
    count += 1.0F;
  }
  const float rest = 1.0F - lanes.sum(mass);
  constexpr float kMin = std::numeric_limits<float>::epsilon();
  return {std::log(rest > kMin ? rest : kMin),
          view.fixed + static_cast<std::int64_t>(lanes.sum(count))};
}

template <typename Lanes>
CANE_HOST_DEVICE void assemble_token(const AssembleArguments& task, std::int64_t token,
                                     const Lanes& lanes) {
  const CandidateView& view = task.candidates;
  const ShortlistShape& shape = view.shape;
  const std::int32_t context = context_of(task, token);
  std::int32_t* own = task.token_words + token * shape.token_words();
  const auto own_candidates = static_cast<std::uint32_t>(shape.token_candidates);
  for (std::uint32_t p = lanes.from(0); p < own_candidates; p += lanes.stride()) {
    if (own[p] != kNoWord && shared_column(view, token, own[p]) != kNoColumn) own[p] = kNoWord;
  }
  const Outside outside = outside_candidates(task, token, lanes);

  float* log_q = task.log_q + token * (1 + shape.noises());
  const auto noises = static_cast<std::uint32_t>(shape.noises());
  float counting = 0.0F;
  for (std::uint32_t j = lanes.from(0); j < noises; j += lanes.stride()) {
    const bool is_shared = j < shape.shared_noises;
    const std::int32_t word = is_shared
                                  ? task.shared_words[shape.shared_candidates + 1 + j]
                                  : own[shape.token_candidates + 1 + (j - shape.shared_noises)];
    const bool counts = word != kNoWord && candidate_column(view, token, word) == kNoColumn;
    log_q[1 + j] = counts ? std::log(law_mass(task.law, context, word)) - outside.log_mass
                          : std::numeric_limits<float>::infinity();
    counting += counts ? 1.0F : 0.0F;
  }
  const auto counted = static_cast<std::int32_t>(lanes.sum(counting));
  if (!lanes.owns(0)) return;
  const auto label = static_cast<std::int32_t>(task.labels[token]);
  const std::int32_t column = candidate_column(view, token, label);
  const bool is_outside = column == kNoColumn;
  const bool lacks_noises = counted == 0 && outside.candidates < task.words;
  task.drawn[token] = lacks_noises || outside.candidates == 0 ? kLeftOut : counted;
  task.label_at[token] = is_outside ? static_cast<std::int32_t>(shape.label_column()) : column;
  own[shape.token_candidates] = is_outside ? label : kNoWord;
  log_q[0] = is_outside ? std::log(law_mass(task.law, context, label)) - outside.log_mass
                        : std::numeric_limits<float>::infinity();
}

}  // namespace cane::lm

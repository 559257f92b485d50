// A noise law that host and device can read: the words that are not candidates of every token, with
// their probabilities, and optionally, for a context word, a mixture with the words that followed
// it in the corpus. The pointers do not own the tables.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/random.h"
#include "core/noise/alias_table.h"

namespace cane::lm {

inline constexpr std::int32_t kNoWord = -1;

/// Successors of each word: those of context c are at offsets[c] .. offsets[c + 1], ascending.
struct SuccessorView {
  const std::int64_t* offsets = nullptr;  // null: the law does not depend on the context
  const std::int32_t* words = nullptr;
  const float* shares = nullptr;     // share of each successor in its context; sums to 1
  const AliasCell* cells = nullptr;  // for drawing a successor
  const float* weights = nullptr;    // weight of a context's successors in the mixture; 0 if none
};

struct LawView {
  const AliasCell* cells = nullptr;
  const std::int32_t* words = nullptr;  // the word of each outcome
  std::uint64_t outcomes = 0;
  const float* masses = nullptr;  // [words] the probability of each word, 0 outside the law
  SuccessorView successors;
};

/// The draws of a step are indexed by example: the index of a token, or kSharedDraws for draws that
/// the whole batch shares.
inline constexpr std::uint64_t kSharedDraws = (std::uint64_t{1} << 24) - 1;
CANE_HOST_DEVICE inline std::uint64_t draw_example(std::int64_t step, std::uint64_t token) {
  return (static_cast<std::uint64_t>(step) << 24) | token;
}

CANE_HOST_DEVICE inline float successor_share(const SuccessorView& successors, std::int32_t context,
                                              std::int32_t word) {
  std::int64_t low = successors.offsets[context];
  const std::int64_t end = successors.offsets[context + 1];
  std::int64_t high = end;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (successors.words[middle] < word) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && successors.words[low] == word ? successors.shares[low] : 0.0F;
}

/// The probability of a word; `context` is read only by a law that has successors.
CANE_HOST_DEVICE inline float law_mass(const LawView& law, std::int32_t context,
                                       std::int32_t word) {
  if (law.successors.offsets == nullptr) return law.masses[word];
  const float weight = law.successors.weights[context];
  const float share = weight > 0.0F ? successor_share(law.successors, context, word) : 0.0F;
  return weight * share + (1.0F - weight) * law.masses[word];
}

/// A draw from the law; kNoWord if it has no outcomes.
CANE_HOST_DEVICE inline std::int32_t draw_word(const LawView& law, std::int32_t context,
                                               const CounterRandom& random, std::uint64_t example,
                                               std::uint32_t draw) {
  if (law.outcomes == 0) return kNoWord;
  if (law.successors.offsets != nullptr) {
    const float weight = law.successors.weights[context];
    const std::uint32_t coin = 2 * draw + 1;
    draw *= 2;
    if (static_cast<float>(random.uniform(example, coin)) < weight) {
      const std::int64_t begin = law.successors.offsets[context];
      const auto count = static_cast<std::uint64_t>(law.successors.offsets[context + 1] - begin);
      return law.successors.words[begin + alias_draw(law.successors.cells + begin, count,
                                                     random.words(example, draw))];
    }
  }
  return law.words[alias_draw(law.cells, law.outcomes, random.words(example, draw))];
}

}  // namespace cane::lm

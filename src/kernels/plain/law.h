// A noise law that host and device can read: the classes that are not candidates of every example,
// with their probabilities, and optionally, for a context class, a mixture with the classes that
// followed it in the corpus. The pointers do not own the tables.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/base/random.h"
#include "core/noise/alias_table.h"

namespace cane::kernels {

inline constexpr std::int32_t kNoClass = -1;

/// Successors of each class: the successors of context c are at offsets[c] .. offsets[c + 1],
/// ascending.
struct SuccessorView {
  const std::int64_t* offsets = nullptr;  // null: the law does not depend on the context
  const std::int32_t* classes = nullptr;
  const float* shares = nullptr;     // share of each successor in its context; sums to 1
  const AliasCell* cells = nullptr;  // for drawing a successor
  const float* weights = nullptr;    // weight of a context's successors in the mixture; 0 if none
};

struct LawView {
  const AliasCell* cells = nullptr;
  const std::int32_t* classes = nullptr;  // the class of each outcome
  std::uint64_t outcomes = 0;
  const float* masses = nullptr;  // [classes] the probability of each class, 0 outside the law
  SuccessorView successors;
};

/// The draws of a step are indexed by example: the index of an example, or kSharedDraws for draws
/// that the whole batch shares.
inline constexpr std::uint64_t kSharedDraws = (std::uint64_t{1} << 24) - 1;
CANE_HOST_DEVICE inline std::uint64_t draw_key(std::int64_t step, std::uint64_t example) {
  return (static_cast<std::uint64_t>(step) << 24) | example;
}

CANE_HOST_DEVICE inline float successor_share(const SuccessorView& successors, std::int32_t context,
                                              std::int32_t id) {
  std::int64_t low = successors.offsets[context];
  const std::int64_t end = successors.offsets[context + 1];
  std::int64_t high = end;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (successors.classes[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && successors.classes[low] == id ? successors.shares[low] : 0.0F;
}

/// The probability of a class; `context` is read only by a law that has successors.
CANE_HOST_DEVICE inline float law_mass(const LawView& law, std::int32_t context, std::int32_t id) {
  if (law.successors.offsets == nullptr) return law.masses[id];
  const float weight = law.successors.weights[context];
  const float share = weight > 0.0F ? successor_share(law.successors, context, id) : 0.0F;
  return weight * share + (1.0F - weight) * law.masses[id];
}

/// A draw from the law; kNoClass if it has no outcomes.
CANE_HOST_DEVICE inline std::int32_t draw_class(const LawView& law, std::int32_t context,
                                                const CounterRandom& random, std::uint64_t key,
                                                std::uint32_t draw) {
  if (law.outcomes == 0) return kNoClass;
  if (law.successors.offsets != nullptr) {
    const float weight = law.successors.weights[context];
    const std::uint32_t coin = 2 * draw + 1;
    draw *= 2;
    if (static_cast<float>(random.uniform(key, coin)) < weight) {
      const std::int64_t begin = law.successors.offsets[context];
      const auto count = static_cast<std::uint64_t>(law.successors.offsets[context + 1] - begin);
      return law.successors.classes[begin + alias_draw(law.successors.cells + begin, count,
                                                       random.words(key, draw))];
    }
  }
  return law.classes[alias_draw(law.cells, law.outcomes, random.words(key, draw))];
}

}  // namespace cane::kernels

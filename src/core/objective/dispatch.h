// The choice of the objective, made once around the loop over a batch: inside it the functor is a
// concrete type, and its call is inlined.
#pragma once

#include <cstdint>

#include "core/objective/blackout.h"
#include "core/objective/candidates_vs_noises.h"
#include "core/objective/complementary_sum.h"
#include "core/objective/noise_contrast.h"
#include "core/objective/one_vs_each.h"
#include "core/objective/softmax.h"

namespace cane {

enum class ObjectiveKind {
  kCandidatesVsNoises,
  kSoftmax,
  kNoiseContrast,
  kNegativeSampling,
  kBlackOut,
  kOneVsEach,
  kComplementarySum,
};

/// Whether the noises of an objective that sets the label against noises are drawn with the label
/// excluded. Where they are not, log q of label and noises is that of the whole law.
constexpr bool excludes_label(ObjectiveKind kind) {
  return kind == ObjectiveKind::kOneVsEach || kind == ObjectiveKind::kComplementarySum;
}

/// Calls `body` with the functor of `kind` and returns what it returns.
template <typename Body>
decltype(auto) with_objective(ObjectiveKind kind, std::uint32_t classes, const Body& body) {
  switch (kind) {
    case ObjectiveKind::kSoftmax:
      return body(Softmax{});
    case ObjectiveKind::kNoiseContrast:
      return body(NoiseContrast{.shift = true});
    case ObjectiveKind::kNegativeSampling:
      return body(NoiseContrast{.shift = false});
    case ObjectiveKind::kBlackOut:
      return body(BlackOut{});
    case ObjectiveKind::kOneVsEach:
      return body(OneVsEach{classes});
    case ObjectiveKind::kComplementarySum:
      return body(ComplementarySum{classes});
    case ObjectiveKind::kCandidatesVsNoises:
      break;
  }
  return body(CandidatesVsNoises{});
}

}  // namespace cane

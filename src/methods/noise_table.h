// The table of noise laws, from which classes are drawn to represent all the others. To add a law,
// add a class in core/noise, a case in engine/parts and a row here.
#pragma once

#include <array>

#include "cane/config.h"
#include "methods/rows.h"

namespace cane {

struct NoiseRow {
  NoiseKind kind = NoiseKind::kAuto;
  const char* name = "";
  const char* summary = "";

  /// Classes are drawn in proportion to their frequency to the power `noise_power`.
  bool uses_power = false;
  /// The law of the selector's proposal.
  bool is_proposal = false;
};

inline constexpr std::array kNoises = {
    NoiseRow{.kind = NoiseKind::kAuto, .name = "auto", .summary = "the one that fits the method"},
    NoiseRow{
        .kind = NoiseKind::kUniform, .name = "uniform", .summary = "every class equally often"},
    NoiseRow{.kind = NoiseKind::kUnigram,
             .name = "unigram",
             .summary = "in proportion to a power of the class frequency",
             .uses_power = true},
    NoiseRow{.kind = NoiseKind::kProposal,
             .name = "proposal",
             .summary = "by the probabilities of the selector's cheap model",
             .is_proposal = true}};
static_assert(is_in_order(kNoises));

constexpr const NoiseRow& row_of(NoiseKind noise) {
  return row_at(kNoises, noise);
}

}  // namespace cane

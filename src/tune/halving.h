// Successive halving (Karnin et al. 2013, Jamieson and Talwalkar 2016): all configurations are
// tried on a small share of an epoch, the better half again on twice as much, and so on. It knows
// nothing of training: a trial is a function that gives a score and says how long it took, so that
// the search is a pure function of what its trials give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace cane {

struct HalvingOptions {
  std::size_t configurations = 0;  // there are so many; the first of them are tried
  double first_share = 0.0;        // of an epoch: the least that tells configurations apart
  double top_share = 0.0;          // the most that is worth the time
  std::uint32_t trials = 0;        // at most; 0: `seconds` counts
  double seconds = 0.0;
};

struct TrialOutcome {
  std::optional<double> score;  // the higher the better; none: the trial failed
  double seconds = 0.0;
};

/// None: the user wants to stop, and the trial is not to be counted.
using RunTrial = std::function<std::optional<TrialOutcome>(std::size_t configuration,
                                                           std::uint32_t rung, double share)>;

/// The configuration with the best score of those that got furthest without a failure; the one that
/// was tried first on ties. None if the first few all failed, or there was a stop before any score.
/// Configuration 0 is the one to beat: it is tried first, and dropped only if it fails. In seconds,
/// no trial begins that would end too late by what earlier ones took; the first always runs.
std::optional<std::size_t> successive_halving(const HalvingOptions& options, const RunTrial& run);

}  // namespace cane

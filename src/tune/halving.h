// Successive halving (Karnin et al. 2013, Jamieson and Talwalkar 2016): all configurations are
// tried on a small share of an epoch, the better half again on twice as much, and so on. The search
// is independent of training: a trial is a function that returns a score and its duration, and the
// search is a pure function of these results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace cane {

struct HalvingOptions {
  std::size_t configurations = 0;  // number available; the first ones are tried
  double first_share = 0.0;        // of an epoch: smallest share that separates configurations
  double top_share = 0.0;          // largest share worth the time
  std::uint32_t trials = 0;        // maximum; 0: limited by `seconds`
  double seconds = 0.0;
};

struct TrialOutcome {
  std::optional<double> score;  // higher is better; none: the trial failed
  double seconds = 0.0;
};

/// Returns nothing if the user requested a stop; the trial then does not count.
using RunTrial = std::function<std::optional<TrialOutcome>(std::size_t configuration,
                                                           std::uint32_t rung, double share)>;

/// Returns the configuration with the best score among those that got furthest without a failure;
/// ties go to the one tried first. Returns nothing if the first few all failed, or if the search
/// was stopped before any score. Configuration 0 is the baseline: it is tried first, and dropped
/// only if it fails. With a time budget, no trial starts that would exceed it, judging by earlier
/// trials; the first one always runs.
std::optional<std::size_t> successive_halving(const HalvingOptions& options, const RunTrial& run);

}  // namespace cane

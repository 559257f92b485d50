#include "cli/cane/paper/theory_results.h"

#include "core/base/stopwatch.h"

namespace cane::cli::paper {

const TheoryResults& theory_results() {
  static const TheoryResults results = [] {
    const Stopwatch watch;
    TheoryResults made;
    made.consistency = theory::check_consistency({});
    made.convergence = theory::check_convergence({});
    made.variance = theory::check_variance({});
    made.one_noise = theory::check_covariance(1, theory::NoiseUse::kOneDrawn, {});
    made.all_noises = theory::check_covariance(1, theory::NoiseUse::kAllWeighted, {});
    made.shared_edges = theory::check_shared_edges({});
    made.seconds = watch.seconds();
    return made;
  }();
  return results;
}

}  // namespace cane::cli::paper

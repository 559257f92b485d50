// The checks of the theorems, computed once in a process.
#pragma once

#include <vector>

#include "theory/consistency.h"
#include "theory/convergence.h"
#include "theory/covariance.h"
#include "theory/shared_edges.h"
#include "theory/variance.h"

namespace cane::cli::paper {

struct TheoryResults {
  std::vector<theory::ConsistencyRow> consistency;
  std::vector<theory::ConvergenceRow> convergence;
  std::vector<theory::VarianceRow> variance;
  theory::CovarianceCheck one_noise;
  theory::CovarianceCheck all_noises;
  std::vector<theory::SharedEdgesRow> shared_edges;
  double seconds = 0.0;
};

const TheoryResults& theory_results();

}  // namespace cane::cli::paper

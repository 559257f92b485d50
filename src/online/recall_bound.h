// Where an example of a Recall Tree stops: a lower confidence bound on the recall of a node, the
// share of its examples whose class is one of its candidates (the empirical Bernstein bound of the
// paper; Maurer and Pontil 2009).
#pragma once

#include <algorithm>
#include <cmath>

namespace cane {

/// `covered` of `count` examples have a class that is a candidate; `factor` scales the bound's
/// distance from the share itself. 0 without examples.
inline double recall_bound(double covered, double count, double factor) {
  if (count <= 0.0) return 0.0;
  const double share = std::min(covered / count, 1.0);
  const double deviation = std::sqrt(factor * share * (1.0 - share) / count);
  const double range = factor * 15.0 / (std::sqrt(18.0) * count);
  return std::max(share - deviation - range, 0.0);
}

}  // namespace cane

// Theorem 1 (infinity-sample consistency): at s_k = log p_k the expected gradient of CANE is zero
// and its expected objective the largest, whatever the candidates, the noise law and the number of
// noises. Checked by enumeration for both objectives that train: a term for each noise (Eqs.
// practice1 and practice2), and pooled noises, which miss that optimum where the label is the only
// noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cane::theory {

struct ConsistencyOptions {
  std::uint32_t classes = 12;
  std::vector<std::uint32_t> candidates = {1, 3, 6, 11};
  std::uint32_t most_noises = 3;
  std::uint32_t perturbations = 20;
  std::uint64_t seed = 1;
};

struct ConsistencyRow {
  std::uint32_t candidates = 0;
  std::string chosen;  // which classes are the candidates: "most probable", "least probable"
  std::string law;     // of the noises: "uniform", "unigram", "skewed"
  std::uint32_t noises = 0;
  double cane_gradient_norm = 0.0;
  double pooled_gradient_norm = 0.0;  // a label outside the candidates is the only noise
  // Pooled, with such a label beside one drawn noise less: consistent as well.
  double pooled_beside_noises_gradient_norm = 0.0;
  // The expected objective of CANE at the optimum less the largest at the perturbed scores.
  double objective_margin = 0.0;
};

/// Candidates, laws and 1 to most_noises noises in all combinations.
std::vector<ConsistencyRow> check_consistency(const ConsistencyOptions& options);

}  // namespace cane::theory

// One input of a finite problem, so small that everything that can happen is enumerated: the label
// y ~ p, and the noises j ~ q, independent and with replacement. What an objective gives in
// expectation (Eq. Exp) is then a sum without sampling error.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/noise/noise_source.h"
#include "core/objective/shortlist.h"

namespace cane::theory {

/// The input: p(y|x) of every class, its candidates, and the law of the noises outside them.
struct FiniteExample {
  std::vector<double> probabilities;
  std::vector<ClassId> candidates;  // ascending
  std::vector<ClassId> outside;     // all other classes
  std::vector<float> log_q;         // of the classes outside
};

FiniteExample make_example(std::vector<double> probabilities, std::vector<ClassId> candidates,
                           const FixedNoise& law);

/// What stands for the noises if the label is outside the candidates: the label alone, as Eq. Pout
/// has it, or the label and one noise less than drawn otherwise.
enum class LabelOutside { kAlone, kWithNoises };

/// Anything that is called as the objectives of the library are.
using Objective = std::function<float(const Shortlist&, const float* scores, float* gradient)>;

struct Expectation {
  double objective = 0.0;  // to be maximised, as R in the paper
  std::vector<double> gradient;
};

/// The expected objective and its gradient in the scores of all classes.
Expectation expect(const FiniteExample& example, std::uint32_t noises, LabelOutside label_outside,
                   const Objective& loss, std::span<const double> scores);

}  // namespace cane::theory

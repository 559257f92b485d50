// Everything that can happen to an example of the linear problem: (input, label, noise), a noise
// only where the label is a candidate, since a label outside the candidates is the noise itself. A
// data set is the share of each outcome in it, which is all that an estimator needs to know.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "theory/linear_problem.h"
#include "theory/simulation_options.h"

namespace cane::theory {

struct Outcome {
  std::uint32_t input = 0;
  std::uint32_t label_at = 0;  // in the shortlist: the candidates, then the noise
  std::uint32_t noise_at = 0;  // in the noises of the selection, if it has any
  double q = 1.0;              // of the noise, given input and label
};

class Outcomes {
 public:
  Outcomes(const LinearProblem& problem, const std::vector<Selection>& selections);

  std::span<const Outcome> all() const { return outcomes_; }

  /// The shares of the outcomes among so many examples drawn from the truth. Whatever the
  /// candidates, the same random numbers give the same inputs and labels.
  std::vector<double> draw(std::uint32_t examples, const CounterRandom& random, NoiseUse use) const;

  /// The shares in an infinite sample, for either use of noises.
  std::vector<double> probabilities() const;

 private:
  /// The outcomes of an input and label are consecutive, and their q add up to one.
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  const Group& group(Eigen::Index input, Eigen::Index label) const;

  const LinearProblem& problem_;
  std::vector<Outcome> outcomes_;
  std::vector<Group> groups_;  // by input, then label
};

}  // namespace cane::theory

#include "theory/outcomes.h"

#include <algorithm>

namespace cane::theory {
namespace {

using Eigen::Index;

double unit(std::uint32_t word) {
  return static_cast<double>(word) * 0x1.0p-32;
}

}  // namespace

Outcomes::Outcomes(const LinearProblem& problem, const std::vector<Selection>& selections)
    : problem_(problem) {
  for (std::uint32_t input = 0; input < selections.size(); ++input) {
    const Selection& selection = selections[input];
    const auto candidates = static_cast<std::uint32_t>(selection.candidates.size());
    for (ClassId label = 0; label < problem.classes(); ++label) {
      const std::size_t begin = outcomes_.size();
      const auto inside = std::ranges::find(selection.candidates, label);
      if (inside == selection.candidates.end()) {
        const auto found = std::ranges::find(selection.noises, label);
        const auto at = static_cast<std::uint32_t>(found - selection.noises.begin());
        outcomes_.push_back({input, candidates, at, 1.0});
      } else {
        const auto at = static_cast<std::uint32_t>(inside - selection.candidates.begin());
        for (std::uint32_t j = 0; j < selection.noises.size(); ++j) {
          outcomes_.push_back({input, at, j, selection.q(j)});
        }
        if (selection.noises.empty()) outcomes_.push_back({input, at, 0, 1.0});
      }
      groups_.push_back({begin, outcomes_.size()});
    }
  }
}

const Outcomes::Group& Outcomes::group(Index input, Index label) const {
  return groups_[static_cast<std::size_t>(input * problem_.classes() + label)];
}

std::vector<double> Outcomes::draw(std::uint32_t examples, const CounterRandom& random,
                                   NoiseUse use) const {
  std::vector<double> shares(outcomes_.size(), 0.0);
  const double share = 1.0 / static_cast<double>(examples);
  for (std::uint32_t example = 0; example < examples; ++example) {
    const auto words = random.words(example, 0);
    const auto x = static_cast<Index>(unit(words[0]) * static_cast<double>(problem_.inputs.rows()));
    Index label = 0;
    for (double rest = unit(words[1]); label + 1 < problem_.classes(); ++label) {
      rest -= problem_.probabilities(x, label);
      if (rest < 0.0) break;
    }
    const auto [begin, end] = group(x, label);
    double rest = unit(words[2]);
    for (std::size_t i = begin; i < end; ++i) {
      rest -= outcomes_[i].q;
      if (use == NoiseUse::kAllWeighted) {
        shares[i] += share * outcomes_[i].q;
      } else if (rest < 0.0 || i + 1 == end) {
        shares[i] += share;
        break;
      }
    }
  }
  return shares;
}

std::vector<double> Outcomes::probabilities() const {
  std::vector<double> shares(outcomes_.size());
  for (Index x = 0; x < problem_.inputs.rows(); ++x) {
    for (Index label = 0; label < problem_.classes(); ++label) {
      const double p =
          problem_.probabilities(x, label) / static_cast<double>(problem_.inputs.rows());
      const auto [begin, end] = group(x, label);
      for (std::size_t i = begin; i < end; ++i) shares[i] = p * outcomes_[i].q;
    }
  }
  return shares;
}

}  // namespace cane::theory

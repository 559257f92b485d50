// Problems so small that everything that can happen is written down: each outcome is a shortlist
// with the probability that label and noises come out that way. Expectations are then exact, an
// objective's optimum can be found, and data can be simulated by drawing outcomes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/objective/shortlist.h"

namespace cane {

using Vector = std::vector<double>;
using Classes = std::vector<std::uint32_t>;

struct Possibility {
  double probability = 0.0;
  Classes classes;  // candidates, then noises
  std::uint32_t candidates = 0;
  std::uint32_t label_at = 0;
  std::vector<float> log_q;
  float label_log_q = 0.0F;
  std::size_t x = 0;  // which of the inputs

  Shortlist shortlist() const {
    return {candidates, static_cast<std::uint32_t>(classes.size()) - candidates, label_at,
            log_q.data(), label_log_q};
  }
};

/// Calls visit(drawn, probability) for all ordered draws, with replacement, from q.
inline void for_all_draws(
    const Vector& q, std::uint32_t draws,
    const std::function<void(const Classes& drawn, double probability)>& visit) {
  Classes drawn;
  const std::function<void(double)> next = [&](double probability) {
    if (drawn.size() == draws) {
      visit(drawn, probability);
      return;
    }
    for (std::uint32_t k = 0; k < q.size(); ++k) {
      if (q[k] == 0.0) continue;
      drawn.push_back(k);
      next(probability * q[k]);
      drawn.pop_back();
    }
  };
  next(1.0);
}

/// The law proportional to `weights` outside the excluded classes, zero on these.
inline Vector law_outside(const Vector& weights, const Classes& excluded) {
  Vector q = weights;
  for (const std::uint32_t k : excluded) q[k] = 0.0;
  double total = 0.0;
  for (const double weight : q) total += weight;
  for (double& weight : q) weight = total > 0.0 ? weight / total : 0.0;
  return q;
}

inline Possibility make_outcome(double probability, Classes candidates, const Classes& noises,
                                const Vector& q) {
  Possibility outcome;
  outcome.probability = probability;
  outcome.candidates = static_cast<std::uint32_t>(candidates.size());
  outcome.classes = std::move(candidates);
  for (const std::uint32_t k : noises) {
    outcome.classes.push_back(k);
    outcome.log_q.push_back(static_cast<float>(std::log(q[k])));
  }
  return outcome;
}

/// Labels from p, each against noises from the law of `weights`, the label excluded or not.
inline std::vector<Possibility> label_against_noises(const Vector& p, const Vector& weights,
                                                     std::uint32_t noises, bool exclude_label) {
  std::vector<Possibility> outcomes;
  const Vector whole = law_outside(weights, {});
  for (std::uint32_t label = 0; label < p.size(); ++label) {
    const Vector q = exclude_label ? law_outside(weights, {label}) : whole;
    for_all_draws(q, noises, [&](const Classes& drawn, double probability) {
      outcomes.push_back(make_outcome(p[label] * probability, {label}, drawn, q));
      outcomes.back().label_log_q = static_cast<float>(std::log(whole[label]));
    });
  }
  return outcomes;
}

/// Labels from p against the candidates and noises of CANE (Alg. 1).
inline std::vector<Possibility> candidates_against_noises(const Vector& p, const Vector& weights,
                                                          const Classes& candidates,
                                                          std::uint32_t noises) {
  std::vector<Possibility> outcomes;
  const Vector q = law_outside(weights, candidates);
  const bool nothing_outside = candidates.size() == p.size();
  for (std::uint32_t at = 0; at < candidates.size(); ++at) {
    for_all_draws(q, nothing_outside ? 0 : noises, [&](const Classes& drawn, double probability) {
      outcomes.push_back(make_outcome(p[candidates[at]] * probability, candidates, drawn, q));
      outcomes.back().label_at = at;
    });
  }
  for (std::uint32_t label = 0; label < p.size(); ++label) {
    if (q[label] == 0.0) continue;
    outcomes.push_back(make_outcome(p[label], candidates, {label}, q));
    outcomes.back().label_at = outcomes.back().candidates;
  }
  return outcomes;
}

/// Labels from p against candidates and n slots, drawn from q over all classes, independently. A
/// label outside the candidates takes the place of one slot; slots of candidates are dead.
inline std::vector<Possibility> candidates_against_slots(const Vector& p, const Vector& q,
                                                         const Classes& candidates,
                                                         std::uint32_t slots, std::uint32_t place) {
  const auto is_candidate = [&](std::uint32_t k) {
    return std::find(candidates.begin(), candidates.end(), k) != candidates.end();
  };
  std::vector<Possibility> outcomes;
  for (std::uint32_t label = 0; label < p.size(); ++label) {
    for_all_draws(q, slots, [&](const Classes& drawn, double probability) {
      Classes listed = drawn;
      if (!is_candidate(label)) listed[place] = label;
      Possibility outcome = make_outcome(p[label] * probability, candidates, listed, q);
      for (std::uint32_t i = 0; i < slots; ++i) {
        if (is_candidate(listed[i])) outcome.log_q[i] = std::numeric_limits<float>::infinity();
      }
      const auto found = std::find(candidates.begin(), candidates.end(), label);
      outcome.label_at = is_candidate(label)
                             ? static_cast<std::uint32_t>(found - candidates.begin())
                             : outcome.candidates + place;
      outcomes.push_back(std::move(outcome));
    });
  }
  return outcomes;
}

/// Every class a candidate, as for the softmax.
inline std::vector<Possibility> all_classes(const Vector& p) {
  Classes classes;
  for (std::uint32_t k = 0; k < p.size(); ++k) classes.push_back(k);
  return candidates_against_noises(p, p, classes, 0);
}

}  // namespace cane

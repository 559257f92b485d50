#include "theory/finite_example.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cane::theory {
namespace {

/// Adds up outcomes. A shortlist is built by adding noises one after another.
class Enumeration {
 public:
  Enumeration(const FiniteExample& example, const Objective& loss, std::span<const double> scores)
      : example_(example), loss_(loss), scores_(scores), classes_(example.candidates) {
    sum_.gradient.assign(example.probabilities.size(), 0.0);
  }

  /// All draws of `count` more noises beside those that the shortlist has.
  void draw(std::uint32_t count, std::uint32_t label_at, double probability) {
    if (count == 0) {
      add(label_at, probability);
      return;
    }
    for (std::size_t place = 0; place < example_.outside.size(); ++place) {
      push_noise(place);
      draw(count - 1, label_at, probability * std::exp(double{log_q_.back()}));
      pop_noise();
    }
  }

  void push_noise(std::size_t place) {
    classes_.push_back(example_.outside[place]);
    log_q_.push_back(example_.log_q[place]);
  }

  void pop_noise() {
    classes_.pop_back();
    log_q_.pop_back();
  }

  Expectation take() { return std::move(sum_); }

 private:
  void add(std::uint32_t label_at, double probability) {
    shortlist_scores_.clear();
    for (const ClassId k : classes_) shortlist_scores_.push_back(static_cast<float>(scores_[k]));
    gradient_.resize(classes_.size());
    const Shortlist shortlist = {static_cast<std::uint32_t>(example_.candidates.size()),
                                 static_cast<std::uint32_t>(log_q_.size()), label_at,
                                 log_q_.data()};
    const float loss = loss_(shortlist, shortlist_scores_.data(), gradient_.data());
    sum_.objective -= probability * double{loss};
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      sum_.gradient[classes_[i]] -= probability * double{gradient_[i]};
    }
  }

  const FiniteExample& example_;
  const Objective& loss_;
  std::span<const double> scores_;
  std::vector<ClassId> classes_;
  std::vector<float> log_q_, shortlist_scores_, gradient_;
  Expectation sum_;
};

}  // namespace

FiniteExample make_example(std::vector<double> probabilities, std::vector<ClassId> candidates,
                           const FixedNoise& law) {
  FiniteExample example = {std::move(probabilities), std::move(candidates), {}, {}};
  std::ranges::sort(example.candidates);
  for (ClassId k = 0; k < example.probabilities.size(); ++k) {
    if (std::ranges::binary_search(example.candidates, k)) continue;
    example.outside.push_back(k);
    example.log_q.push_back(law.log_probability(k, example.candidates));
  }
  return example;
}

Expectation expect(const FiniteExample& example, std::uint32_t noises, LabelOutside label_outside,
                   const Objective& loss, std::span<const double> scores) {
  Enumeration enumeration(example, loss, scores);
  const auto candidates = static_cast<std::uint32_t>(example.candidates.size());
  for (std::uint32_t at = 0; at < candidates; ++at) {
    enumeration.draw(noises, at, example.probabilities[example.candidates[at]]);
  }
  const std::uint32_t beside_label = label_outside == LabelOutside::kAlone ? 0 : noises - 1;
  for (std::size_t place = 0; place < example.outside.size(); ++place) {
    enumeration.push_noise(place);
    enumeration.draw(beside_label, candidates, example.probabilities[example.outside[place]]);
    enumeration.pop_noise();
  }
  return enumeration.take();
}

}  // namespace cane::theory

// The configurations that a search for options tries. What is searched depends on the method: there
// is no arity without a tree, no candidates outside CANE, no power without unigram noise. All of
// them can be trained; what differs from one to the next never contradicts the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "cane/config.h"
#include "cane/tune_options.h"

namespace cane {

/// `allowed`, less what plays no part in the configuration `chosen`: what resolve() made of the
/// user's options, but for a beam and a rate, which are 0 if the user gave none.
Tunable searched_options(const Tunable& allowed, const TrainConfig& chosen, std::uint32_t classes);

/// The rates of the paper's grid, from 0.0001 to 1, the lowest first; for noise in proportion to a
/// power of the class frequencies each of them with each of its powers. Only `searched` options
/// differ from `base`.
std::vector<TrainConfig> paper_grid(const TrainConfig& base, const Tunable& searched);

/// Random configurations: rates on a log scale around the automatic one, all combinations of the
/// other values equally often. Number 0 is `base` itself; the same seed gives the same sequence.
class SearchSpace {
 public:
  using AutomaticRate = std::function<float(OptimizerKind)>;

  /// `base` is chosen as above.
  SearchSpace(const TrainConfig& base, const Tunable& searched, std::uint32_t classes,
              AutomaticRate automatic_rate);

  std::size_t size() const;
  TrainConfig operator[](std::size_t number) const;

 private:
  void shuffle_combinations();

  TrainConfig base_;
  Tunable searched_;
  AutomaticRate automatic_rate_;
  std::vector<TrainConfig> combinations_;  // of all but the rate
};

}  // namespace cane

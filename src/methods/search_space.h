// The configurations that a search for options tries. What is searched depends on the method: there
// is no arity without a tree, no candidates outside CANE, no power without unigram noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "cane/config.h"
#include "cane/tune_options.h"

namespace cane {

/// Where the noise law is left open and its power is to be searched, nce, neg and blackout draw by
/// frequency, as in the paper; uniform noise is the power 0.
TrainConfig with_noise_to_search(const TrainConfig& asked, const Tunable& allowed);

/// `allowed`, less what plays no part in the configuration `chosen`, whose values are all given.
Tunable searched_options(const Tunable& allowed, const TrainConfig& chosen, std::uint32_t classes);

/// The rates of the paper's grid, from 0.0001 to 1, the lowest first; for noise in proportion to a
/// power of the class frequencies each of them with each of its powers. Only `searched` options
/// differ from `base`.
std::vector<TrainConfig> paper_grid(const TrainConfig& base, const Tunable& searched);

/// Random configurations: rates on a log scale around the automatic one, all combinations of the
/// other values equally often. Number 0 is `base` itself; the same seed gives the same sequence.
class SearchSpace {
 public:
  using AutomaticRate = std::function<float(Optimizer)>;

  /// `chosen` is `base` with every value given.
  SearchSpace(const TrainConfig& base, const TrainConfig& chosen, const Tunable& searched,
              std::uint32_t classes, AutomaticRate automatic_rate);

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

// The configurations that tuning tries. The searched options depend on the method: there is no
// arity without a tree, no candidates outside CANE, no power without unigram noise. Every
// configuration is valid for training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "cane/config.h"
#include "cane/tune_options.h"

namespace cane {

/// Returns `allowed` without the options that have no effect in `chosen`: the user's options after
/// resolve(), except that a beam or rate the user did not set stays 0.
Tunable searched_options(const Tunable& allowed, const TrainConfig& chosen, std::uint32_t classes);

/// The rates of the paper's grid, from 0.0001 to 1, lowest first; for unigram noise, each rate
/// combined with each power of the class frequencies; for a LOMTree, with each number of nodes and
/// each swap resistance. Only `searched` options differ from `base`.
std::vector<TrainConfig> paper_grid(const TrainConfig& base, const Tunable& searched,
                                    std::uint32_t classes);

/// Random configurations: rates are drawn on a log scale around the automatic one, and all
/// combinations of the other values occur equally often. Configuration 0 is `base` itself; the same
/// seed gives the same sequence.
class SearchSpace {
 public:
  using AutomaticRate = std::function<float(OptimizerKind)>;

  /// `base` is resolved as described above.
  SearchSpace(const TrainConfig& base, const Tunable& searched, std::uint32_t classes,
              AutomaticRate automatic_rate);

  std::size_t size() const;
  TrainConfig operator[](std::size_t number) const;

 private:
  void shuffle_combinations();

  TrainConfig base_;
  Tunable searched_;
  AutomaticRate automatic_rate_;
  std::vector<TrainConfig> combinations_;  // of all options except the rate
};

}  // namespace cane

// Fills in what the user left open: method, selector, candidates, noise law, scorer, optimiser,
// batch. What is chosen depends on the options and these facts alone, and every choice comes with
// its reason. The result passes validation_error() (methods/validate.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cane/config.h"
#include "core/base/types.h"

namespace cane {

struct DataFacts {
  std::uint32_t classes = 0;
  FeatureId dimension = 0;
  std::size_t examples = 0;
  double density = 1.0;  // the share of the features that an example has
};

struct Resolved {
  TrainConfig config;  // nothing in it is left open
  std::vector<std::string> reasons;
};

/// Throws Error, with the reason and the nearest thing that works, where options contradict.
Resolved resolve(const TrainConfig& asked, const DataFacts& facts);

}  // namespace cane

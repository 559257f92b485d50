// Resolves the options the user left automatic: method, selector, candidates, noise law, scorer,
// optimiser and batch. The choice depends only on the options and the facts below, and every choice
// comes with its reason. The result passes validation_error() (methods/check_config.h).
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
  double density = 1.0;  // fraction of the features that an example has
  /// Share of the examples in the most frequent classes, as many as `select frequent` lists.
  double frequent_share = 0.0;
};

struct Resolved {
  TrainConfig config;  // with nothing left automatic
  std::vector<std::string> reasons;
};

/// Throws Error with the reason and the nearest valid choice if options conflict.
Resolved resolve(const TrainConfig& asked, const DataFacts& facts);

/// Examples of a batch on the processor, if there are many. `density`: that of the facts.
std::uint32_t usual_batch(const TrainConfig& config, double density);

/// `asked` with what it leaves open and a training had chosen, perhaps by a measurement, as in
/// `chosen`, the resolved options of that training.
TrainConfig with_choices_of(const TrainConfig& chosen, TrainConfig asked);

}  // namespace cane

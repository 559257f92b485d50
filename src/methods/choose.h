// Fills in what the user left to us: method, selector, candidates, noise law, scorer, optimiser,
// batch. What is chosen depends on the data alone, and every choice comes with its reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/config.h"
#include "data/rows/dataset_view.h"

namespace cane {

/// Of a LOMTree.
inline constexpr std::uint32_t kMaxNodes = 1U << 30;

struct DataFacts {
  std::uint32_t classes = 0;
  FeatureId dimension = 0;
  std::size_t examples = 0;
  double density = 1.0;  // share of the features that an example has
};

DataFacts facts_of(const DatasetView& data, std::uint32_t classes);

struct Choice {
  TrainConfig config;  // nothing in it is left to us any more
  std::vector<std::string> reasons;
};

/// Throws Error, with the reason and the nearest thing that works, where options contradict.
Choice choose(const TrainConfig& asked, const DataFacts& facts);

}  // namespace cane

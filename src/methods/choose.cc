#include "methods/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "cane/error.h"
#include "cane/names.h"

namespace cane {

DataFacts facts_of(const DatasetView& data, std::uint32_t classes) {
  const double values = static_cast<double>(data.stored_values());
  return {classes, data.dimension(), data.size(), data.is_dense(),
          values / static_cast<double>(std::max<std::size_t>(data.size(), 1))};
}

Choice choose(const TrainConfig& asked, const DataFacts& facts) {
  Choice choice = {asked, {}};
  TrainConfig& config = choice.config;
  if (config.method == Method::kAuto) config.method = Method::kCane;
  if (config.select == Select::kAuto) config.select = Select::kBeam;
  if (config.scorer == Scorer::kAuto) config.scorer = Scorer::kPath;
  if (config.noise == Noise::kAuto) config.noise = Noise::kUniform;
  if (config.optimizer == Optimizer::kAuto) config.optimizer = Optimizer::kSgd;
  if (config.candidates == 0) config.candidates = 9;
  if (config.noises == 0) config.noises = 1;
  if (config.batch == 0) config.batch = 16;
  if (config.candidates > facts.classes) {
    config.candidates = facts.classes;
    choice.reasons.push_back(fmt::format("all {} classes are candidates", facts.classes));
  }
  config.beam = std::max(config.beam, config.candidates);
  return choice;
}

}  // namespace cane

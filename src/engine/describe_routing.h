// The tree that an online tree learned, in figures for `cane inspect`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/routing_state.h"

namespace cane {

/// A name and a value a line.
std::vector<std::pair<std::string, std::string>> describe_routing(const RoutingState& state,
                                                                  const TrainConfig& config);

}  // namespace cane

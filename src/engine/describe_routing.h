// Statistics of the tree that an online tree learned, for `cane inspect`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/routing_state.h"

namespace cane {

/// Returns (name, value) pairs, one per output line.
std::vector<std::pair<std::string, std::string>> describe_routing(const RoutingState& state,
                                                                  const TrainConfig& config);

}  // namespace cane

// Statistics of the tree that an online tree learned, for `cane inspect`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/routing_state.h"

namespace cane {

struct RoutingSummary {
  std::uint32_t inner_nodes = 0;
  std::uint32_t leaves = 0;
  std::uint32_t depth = 0;
  double mean_depth = 0.0;              // over the leaves
  double mean_depth_of_examples = 0.0;  // over the examples
  std::uint64_t counts = 0;             // of a class at a node
  std::uint32_t used_leaves = 0;        // with examples
  std::uint32_t pure_leaves = 0;        // of one class
  double largest_leaf = 0.0;            // examples in it
  std::uint32_t classes_predicted = 0;  // by the leaves' majorities
  double recall = 0.0;                  // share of the examples whose class a leaf keeps
};
RoutingSummary summarize_routing(const RoutingState& state);

/// Returns (name, value) pairs, one per output line.
std::vector<std::pair<std::string, std::string>> describe_routing(const RoutingState& state,
                                                                  const TrainConfig& config);

}  // namespace cane

// The state of an online tree in addition to the weights of its routers and classes: the tree
// itself and, for every node, how many examples of which classes reached it, and how they were
// routed. LOMTree and Recall Tree have such a state; the tree of a Filter Tree is given and has no
// counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/config.h"
#include "core/base/types.h"
#include "core/tree/routing_tree.h"
#include "model/class_histogram.h"

namespace cane {

class ArchiveReader;
class ArchiveWriter;

struct RoutingState {
  RoutingTree tree;
  /// Total weight of the examples that reached the node. LOMTree: of those that count towards the
  /// leaves below. A leaf that is split passes it on to its children and a recycled leaf takes it
  /// along, so it always equals the sum over the children.
  std::vector<double> counts;
  /// Total weight of the examples in the histogram.
  std::vector<double> seen;
  /// LOMTree: mean margin of the router over these examples.
  std::vector<float> margins;
  /// LOMTree: the class that a leaf predicts.
  std::vector<ClassId> majorities;
  std::vector<ClassHistogram> histograms;

  /// Resizes the arrays to the number of nodes; new elements are zero.
  void resize();
};

/// The state before the first example. All automatic options must be resolved.
RoutingState initial_routing(const TrainConfig& config, std::uint32_t classes);

/// Describes what is wrong with a state read from a file (counts that do not add up, classes that
/// do not exist, more nodes than the options allow); null if it is valid.
const char* validation_error(const RoutingState& state, const TrainConfig& config,
                             std::uint32_t classes);

/// Prefix of the tensor names in a model file.
inline constexpr const char* kRoutingPrefix = "routing.";

/// Writes the state as tensors whose names begin with `prefix`. `with_squares`: include the state
/// that is needed only to continue training.
void write_routing(ArchiveWriter& archive, const std::string& prefix, const RoutingState& state,
                   bool with_squares);
/// Throws Error naming the file unless all links, classes and counts are consistent.
RoutingState read_routing(ArchiveReader& archive, const std::string& prefix,
                          const TrainConfig& config, std::uint32_t classes);

}  // namespace cane

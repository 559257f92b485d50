// What an online tree learned in addition to the weights of its routers and classes: the tree, and
// for every node how many examples came there, of which classes, and what became of them. LOMTree
// and Recall Tree have one; the tree of a Filter Tree is given, and has no counts.
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
  /// The weight of the examples that came there. LOMTree: of those that count for the leaves below.
  /// A leaf that is split hands it on to its children, and one that is given up takes it along, so
  /// that it is always the sum of the children's.
  std::vector<double> counts;
  /// The weight of the examples in the histogram.
  std::vector<double> seen;
  /// LOMTree: the mean margin of a router over these.
  std::vector<float> margins;
  /// LOMTree: the class that a leaf predicts.
  std::vector<ClassId> majorities;
  std::vector<ClassHistogram> histograms;

  /// Arrays as long as the tree has nodes; what is new is zero.
  void resize();
};

/// Before the first example. The options must be chosen.
RoutingState initial_routing(const TrainConfig& config, std::uint32_t classes);

/// What is wrong with a state that was read from a file; null: nothing. Counts that do not add up,
/// classes that do not exist, more nodes than the options allow.
const char* validation_error(const RoutingState& state, const TrainConfig& config,
                             std::uint32_t classes);

/// Before the names of the tensors of a model.
inline constexpr const char* kRoutingPrefix = "routing.";

/// The state as tensors whose names begin with `prefix`. `with_squares`: also what only the rest of
/// a training needs.
void write_routing(ArchiveWriter& archive, const std::string& prefix, const RoutingState& state,
                   bool with_squares);
/// Throws Error, naming the file, unless all links, classes and counts fit together.
RoutingState read_routing(ArchiveReader& archive, const std::string& prefix,
                          const TrainConfig& config, std::uint32_t classes);

}  // namespace cane

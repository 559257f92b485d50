// The state of an online tree in addition to the weights of its routers and classes: the tree
// itself and, for every node, how many examples of which classes reached it, and how they were
// routed. LOMTree and Recall Tree have such a state; the tree of a Filter Tree is given and has no
// counts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cane/config.h"
#include "core/base/types.h"
#include "model/method_state.h"
#include "online/class_histogram.h"
#include "online/routing_tree.h"

namespace cane {

struct RoutingState final : MethodState {
  void start(const TrainConfig& config, std::uint32_t classes) override;
  std::shared_ptr<MethodState> copy() const override;
  void write(ArchiveWriter& archive, const std::string& prefix, bool for_training) const override;
  void read(ArchiveReader& archive, const std::string& prefix, const TrainConfig& config,
            std::uint32_t classes) override;
  std::vector<std::pair<std::string, std::string>> lines(const TrainConfig& config) const override;
  nlohmann::ordered_json summary() const override;

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

/// Describes what is wrong with a state read from a file (counts that do not add up, classes that
/// do not exist, more nodes than the options allow); null if it is valid.
const char* validation_error(const RoutingState& state, const TrainConfig& config,
                             std::uint32_t classes);

/// The state of a model or a training whose method learns its routing.
inline const RoutingState& routing_of(const MethodState& state) {
  return static_cast<const RoutingState&>(state);
}
inline RoutingState& routing_of(MethodState& state) {
  return static_cast<RoutingState&>(state);
}

}  // namespace cane

// A RoutingState as tensors of a model file, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/file/safetensors.h"
#include "model/routing_state.h"

namespace cane {

/// Before the names of the tensors of a model.
inline constexpr const char* kRoutingPrefix = "routing.";

/// The tensors of a state, all under names that begin with `prefix`. It holds what they point to.
class RoutingTensors {
 public:
  /// `with_squares`: also what only further training needs.
  RoutingTensors(std::string prefix, const RoutingState& state, bool with_squares);
  RoutingTensors(const RoutingTensors&) = delete;
  RoutingTensors& operator=(const RoutingTensors&) = delete;

  /// Those of eight-byte elements, which go to the front of a file, and the others.
  std::vector<TensorToWrite> wide() const;
  std::vector<TensorToWrite> narrow() const;

 private:
  std::string prefix_;
  const RoutingState& state_;
  bool with_squares_;
  std::vector<std::uint64_t> ends_;  // of each node's classes
  std::vector<ClassId> classes_;
  std::vector<double> counts_;
  std::vector<float> values_;
  std::vector<float> squares_;
};

/// Throws Error, naming the file, unless all links, classes and counts fit together.
RoutingState read_routing(const SafetensorsFile& file, const std::string& prefix,
                          const TrainConfig& config, std::uint32_t classes);

}  // namespace cane

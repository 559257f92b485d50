// What a method keeps besides its tables of weights, such as a tree that it learns. Only the room
// of the method knows what is in it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cane/config.h"

namespace cane {

class ArchiveReader;
class ArchiveWriter;

class MethodState {
 public:
  virtual ~MethodState() = default;

  /// Makes it what it is before the first example. All automatic options must be resolved.
  virtual void start(const TrainConfig& config, std::uint32_t classes) = 0;
  virtual std::shared_ptr<MethodState> copy() const = 0;

  /// Writes tensors whose names begin with `prefix`. `for_training`: including what is needed only
  /// to continue training.
  virtual void write(ArchiveWriter& archive, const std::string& prefix,
                     bool for_training) const = 0;
  /// Throws Error naming the file unless all of it is consistent and fits the options.
  virtual void read(ArchiveReader& archive, const std::string& prefix, const TrainConfig& config,
                    std::uint32_t classes) = 0;

  /// For people: (name, value) pairs, one per line; and the same as one object for programs.
  virtual std::vector<std::pair<std::string, std::string>> lines(
      const TrainConfig& config) const = 0;
  virtual nlohmann::ordered_json summary() const = 0;
};

/// An empty state of the method; null if it keeps none. Defined in src/online, whose methods are
/// those that keep one.
std::shared_ptr<MethodState> make_method_state(const TrainConfig& config);

}  // namespace cane

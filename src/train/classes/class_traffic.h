// How much ranks that share the classes tell each other.
#pragma once

#include <cstdint>

#include "cane/config.h"

namespace cane {

/// Bytes that a rank sends to each of the others for an example of training. Every one of them gets
/// the same.
struct ClassTraffic {
  double lists = 0.0;   // what its shards found
  double noises = 0.0;  // at most: a noise that a list has need not be asked for
  double steps = 0.0;   // in the rows of the common tables, if none of them is left out
  double total() const { return lists + noises + steps; }
};

/// All options must be resolved.
ClassTraffic class_traffic(const TrainConfig& config, std::uint32_t shards, int ranks);

}  // namespace cane

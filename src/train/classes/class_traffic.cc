#include "train/classes/class_traffic.h"

#include "core/simd/block_kernels.h"
#include "methods/config_facts.h"
#include "train/classes/shard_message.h"
#include "train/classes/shard_slice.h"

namespace cane {

ClassTraffic class_traffic(const TrainConfig& config, std::uint32_t shards, int ranks) {
  const ShardWidths widths(config.beam, config.candidates, shards);
  const double own = static_cast<double>(shards) / ranks;
  ClassTraffic traffic;
  traffic.lists = own * static_cast<double>(sizeof(ShardHead) + widths.keep * sizeof(ListedClass));
  traffic.noises = static_cast<double>(config.noises * sizeof(ListedClass)) / ranks;
  // The proposal learns from a quarter of the examples.
  const double inputs = block_stride(config.rank) / 4.0;
  const double encoded = has_encoder(config) ? config.dim : 0.0;
  traffic.steps = static_cast<double>(sizeof(float)) * (inputs + encoded);
  return traffic;
}

}  // namespace cane

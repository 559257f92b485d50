#include "engine/class_memory.h"

#include <algorithm>
#include <cstdint>

#include "engine/memory_estimate.h"
#include "train/classes/class_shards.h"
#include "train/train_state.h"

namespace cane {

TrainEstimate estimate_class_memory(const LoadedData& loaded, const ModelData& model, int threads,
                                    bool keeps_best, int ranks) {
  const TrainConfig& config = model.config;
  const DatasetView& data = loaded.view;
  const std::uint64_t shards = ClassShards::count_for(ranks);
  const std::uint64_t own =
      (shards + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks);
  const auto share = [&](std::uint64_t bytes) { return bytes * own / shards; };
  const std::uint64_t classes = model.class_counts.size();
  TrainEstimate estimate = estimate_memory(loaded, model, threads, false);
  estimate.model_bytes = 0;
  estimate.optimizer_bytes = 0;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const BlockLayout& layout = model.tables[table].layout;
    const bool is_shared = table == kClassTable || table == proposal_table(config);
    const std::uint64_t weights = layout.size() * sizeof(float);
    const std::uint64_t sums = optimizer_bytes(optimizer_of(table, model.tables, config), layout);
    estimate.model_bytes += is_shared ? share(weights) : weights;
    estimate.optimizer_bytes += is_shared ? share(sums) : sums;
  }
  // The means of one shard at a time; the lists of the examples of its classes, and their labels.
  const std::uint64_t cells = classes / shards * data.dimension();
  const std::uint64_t means =
      data.is_dense() ? cells * sizeof(float)
                      : std::min(cells, data.stored_values()) * (sizeof(float) + sizeof(FeatureId));
  const std::uint64_t lists = data.size() * (sizeof(std::uint64_t) + sizeof(ClassId));
  estimate.start_bytes = has_encoder(config) ? 0 : means + lists;
  // Masses of the proposal for the own classes, and its steps for a quarter of the examples.
  const std::uint64_t scores = share(std::uint64_t{config.batch} * classes * sizeof(float));
  estimate.workspace_bytes = data.size() * sizeof(std::uint32_t) + scores + scores / 4;
  if (keeps_best && config.keep_best) estimate.workspace_bytes += estimate.model_bytes;
  return estimate;
}

}  // namespace cane

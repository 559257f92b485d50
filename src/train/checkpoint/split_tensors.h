// The tensors of a training whose classes are shared out, as a rank has them: common ones as a
// whole, those of classes in a piece for each of its shards. Both what is written and what is read
// goes by this list, whose names and order are those of one process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file/archive.h"
#include "core/parallel/communicator.h"
#include "model/model_data.h"
#include "model/shared_file.h"
#include "train/classes/shard_tables.h"

namespace cane {

struct SplitTensor {
  /// What a shard of this rank has of a tensor.
  struct Part {
    std::uint32_t shard;
    std::span<float> values;
    const BlockLayout* layout;
  };

  bool is_common() const { return parts.empty(); }
  /// Calls visit(values, at) for each stretch of values that this rank has of a tensor of classes:
  /// one for each block of classes, which begins at `at` in the whole tensor.
  template <typename Visit>
  void for_each_stretch(const ClassShards& shards, const Visit& visit) const;

  std::string name;
  std::size_t size = 0;     // of the whole tensor, in floats
  std::span<float> common;  // if every rank has it; otherwise
  std::vector<Part> parts;
  std::size_t floats = 0;  // of each block of their layouts: its pitch for weights, fewer for what
                           // an optimiser knows
};

/// The weights of the model. The result points into all arguments.
std::vector<SplitTensor> split_weights(const std::vector<ParameterTable>& model,
                                       const ShardTables& tables, WeightTables& weights);
/// What a checkpoint has besides: optimisers, and the best weights if there are any.
std::vector<SplitTensor> split_progress(const ModelData& model, const ShardTables& tables,
                                        TrainState& state, BestWeights& best);

/// The names of the tensors of a checkpoint that belong to a table.
inline std::string optimizer_tensor(const ParameterTable& table) {
  return "optimizer." + table.name;
}
inline std::string best_tensor(const ParameterTable& table) {
  return "best." + table.name;
}

/// The tensors of an archive as all ranks write them together: of those in the list each rank
/// writes what it owns, of the others an even share.
std::vector<SharedTensor> shared_tensors(std::span<const TensorToWrite> archive,
                                         std::span<const SplitTensor> split,
                                         const ClassShards& shards, const Communicator& ranks);

/// Copies what this rank has of a tensor from the file. Throws Error if the file has none of that
/// size.
void read_split(const SafetensorsFile& file, const ClassShards& shards, const SplitTensor& tensor);

template <typename Visit>
void SplitTensor::for_each_stretch(const ClassShards& shards, const Visit& visit) const {
  for (const auto& [shard, values, layout] : parts) {
    const std::size_t blocks = ClassShards::kBlock / layout->widest_stride();
    for (std::size_t first = 0; first < layout->node_bound(); first += blocks) {
      const std::size_t count = std::min<std::size_t>(blocks, layout->node_bound() - first);
      visit(values.subspan(first * floats, count * floats),
            (first * shards.count() + shard * blocks) * floats);
    }
  }
}

}  // namespace cane

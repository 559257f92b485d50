// The tensors of a training whose classes are shared out, as a rank has them: common ones as a
// whole, those of classes in a piece for each of its shards. Both what is written and what is read
// goes by this list, whose names and order are those of one process.
#pragma once

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

/// The weights of the best epoch on the validation data; empty if there are none.
struct BestShards {
  WeightTables common;
  std::vector<WeightTables> shards;  // of this rank

  bool is_empty() const { return common.empty(); }
};

struct SplitTensor {
  std::string name;
  std::size_t size = 0;               // of the whole tensor, in floats
  std::span<float> common;            // if every rank has it; otherwise
  std::vector<std::span<float>> own;  // of each own shard, whose
  std::vector<const BlockLayout*> layouts;
  std::size_t floats = 0;  // of each block of these layouts

  bool is_common() const { return own.empty(); }
};

/// The weights of the model.
std::vector<SplitTensor> split_weights(const std::vector<ParameterTable>& whole,
                                       const ShardTables& tables, ShardedState& state);
std::vector<SplitTensor> split_weights(const std::vector<ParameterTable>& whole,
                                       const ShardTables& tables, BestShards& best);
/// What a checkpoint has besides: optimisers, and the best weights if there are any.
std::vector<SplitTensor> split_progress(const ModelData& model, const ShardTables& tables,
                                        ShardedState& state, BestShards& best);

/// The tensors of an archive as all ranks write them together: of those in the list each rank
/// writes what it owns, of the others an even share.
std::vector<SharedTensor> shared_tensors(std::span<const TensorToWrite> archive,
                                         std::span<const SplitTensor> split,
                                         const ShardTables& tables, const Communicator& ranks);

/// Copies what this rank has of a tensor from the file. Throws Error if the file has none of that
/// size.
void read_split(const SafetensorsFile& file, const ShardTables& tables, const SplitTensor& tensor);

}  // namespace cane

// Files of a training whose classes are shared out. They are those of one process, written by all
// ranks, each the blocks of its own classes, and read so that a rank copies only these. Any number
// of ranks, up to that of the shards, takes a checkpoint up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/loop/checkpoint_writer.h"
#include "core/parallel/communicator.h"
#include "model/model_data.h"
#include "train/classes/shard_tables.h"
#include "train/classes/split_tensors.h"

namespace cane {

/// Copies of the weights of the state.
BestShards weights_of(const ShardedState& state);

/// Writes the model with the weights of the state, or the best ones if there are such. `model` is
/// what all ranks know of it; it needs no weights. All ranks call it.
void write_sharded_model(const std::string& path, ModelData model, const ShardTables& tables,
                         ShardedState& state, BestShards& best, Communicator& ranks);

void write_sharded_checkpoint(CheckpointWriter& writer, ModelData model, const ShardTables& tables,
                              ShardedState& state, BestShards& best, std::uint64_t data_print,
                              Communicator& ranks);

/// About the size of that file.
std::uint64_t sharded_bytes(const ModelData& model, const BestShards& best);

/// The number of shards of a checkpoint that such a training wrote; 0 for any other file of a
/// model.
std::uint32_t checkpoint_shards(const std::string& path);

struct ShardedCheckpoint {
  ModelData model;  // without weights
  ShardTables tables;
  ShardedState state;
  BestShards best;
};
/// Throws Error if the file is no such checkpoint, belongs to other data or has fewer shards than
/// there are ranks.
ShardedCheckpoint read_sharded_checkpoint(const std::string& path, std::uint64_t data_print,
                                          const Communicator& ranks);

}  // namespace cane

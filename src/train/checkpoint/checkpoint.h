// Everything needed to resume training as if it had never stopped: the current model, the optimiser
// state, the position in the data, and the best weights. A checkpoint is a model file with
// additional sections.
//
// Where the classes are shared out, the file is that of one process, written by all ranks, each the
// blocks of its own classes, and read so that a rank copies only these. Any number of ranks, up to
// that of the shards, takes it up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/thread_pool.h"
#include "core/loop/checkpoint_writer.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/classes/shard_tables.h"
#include "train/train_state.h"

namespace cane {

/// Fingerprints of a dataset; datasets with equal ones are considered the same.
struct DataPrint {
  std::uint64_t names = 0;   // of names, sizes and the classes of the examples
  std::uint64_t values = 0;  // of features, values and weights; 0 in checkpoints that lack it
  bool operator==(const DataPrint&) const = default;
};
/// Reads all of the data.
DataPrint data_fingerprint(const DatasetView& data, const Vocabulary& vocabulary, ThreadPool& pool);

struct Checkpoint {
  ModelData model;  // its weights are those of `state`
  TrainState state;
  BestWeights best;
  /// If the classes are shared out: whose weights the state and the best weights are.
  std::optional<ShardTables> shards = std::nullopt;
};

/// By all ranks together: each writes a share of the one file, and waits until it is complete. The
/// place in the training is the first rank's. If one rank fails, all throw. One rank alone that has
/// all of the state writes in the given mode.
void write_checkpoint(CheckpointWriter& writer, CheckpointWriter::Mode mode, Checkpoint& run,
                      const DataPrint& data_print, Communicator& ranks);

/// Writes a model whose weights are those of the shards. `model` is what all ranks know of it. All
/// ranks call it.
void write_sharded_model(const std::string& path, ModelData model, const ShardTables& shards,
                         WeightTables& weights, Communicator& ranks);

/// About the size of a checkpoint. `has_best`: of a training that has best weights.
std::uint64_t checkpoint_bytes(const ModelData& model, const TrainState& state, bool has_best);

/// Whether the checkpoint continues a finished model; its data must then be read through the labels
/// and features of the checkpoint.
bool continues_training(const std::string& path);
/// Whether it has the weights that this began with: see TrainState::before.
bool has_weights_before(const std::string& path);
/// The number of shards of a checkpoint whose classes were shared out; 0 for any other file of a
/// model.
std::uint32_t checkpoint_shards(const std::string& path);

/// Throws Error if the file is not a checkpoint or belongs to other data.
Checkpoint read_checkpoint(const std::string& path, const DataPrint& data_print);
/// The part of a rank. Throws Error also if the classes were not shared out, or into fewer shards
/// than there are ranks.
Checkpoint read_sharded_checkpoint(const std::string& path, const DataPrint& data_print,
                                   const Communicator& ranks);

}  // namespace cane

// Everything needed to resume training as if it had never stopped: the current model, the optimiser
// state, the position in the data, and the best weights. A checkpoint is a model file with
// additional sections.
#pragma once

#include <cstdint>
#include <string>

#include "core/file/archive.h"
#include "core/loop/checkpoint_writer.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Fingerprint of a dataset; datasets with equal fingerprints are considered the same.
std::uint64_t data_fingerprint(const DatasetView& data, const Vocabulary& vocabulary);

struct Checkpoint {
  ModelData model;  // its weights are those of `state`
  TrainState state;
  BestWeights best;
};

/// `model` provides tree, options and labels; the weights come from `state`.
void write_checkpoint(CheckpointWriter& writer, CheckpointWriter::Mode mode, ModelData model,
                      TrainState& state, const BestWeights& best, std::uint64_t data_print);

/// By all ranks together, each of which has all of the state: each writes a share of the one file,
/// and waits until it is complete. The place in the training is the first rank's. If one rank
/// fails, all throw. One rank alone writes in the given mode.
void write_checkpoint(CheckpointWriter& writer, CheckpointWriter::Mode mode, ModelData model,
                      TrainState& state, const BestWeights& best, std::uint64_t data_print,
                      Communicator& ranks);

/// About the size of that file.
std::uint64_t checkpoint_bytes(const TrainState& state, const BestWeights& best);

/// Whether the checkpoint continues a finished model; its data must then be read through the labels
/// and features of the checkpoint.
bool continues_training(const std::string& path);

/// Throws Error if the file is not a checkpoint or belongs to other data.
Checkpoint read_checkpoint(const std::string& path, std::uint64_t data_print);

/// The parts of that file, for a state that is not in one piece. The place in the training is what
/// is neither weights nor optimisers.
void write_place(ArchiveWriter& archive, TrainState& state, std::uint64_t data_print);
/// Throws Error as read_checkpoint does. `model` is what the same file has.
void read_place(ArchiveReader& archive, const ModelData& model, std::uint64_t data_print,
                TrainState& state);
/// Throws Error if the file is no checkpoint.
void check_is_checkpoint(const SafetensorsFile& file);
/// The names of the tensors that belong to a table.
std::string optimizer_tensor(const ParameterTable& table);
std::string best_tensor(const ParameterTable& table);

}  // namespace cane

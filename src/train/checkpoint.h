// Everything needed to resume training as if it had never stopped: the current model, the optimiser
// state, the position in the data, and the best weights. A checkpoint is a model file with
// additional sections.
#pragma once

#include <cstdint>
#include <string>

#include "core/file/checkpoint_writer.h"
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

/// About the size of that file.
std::uint64_t checkpoint_bytes(const TrainState& state, const BestWeights& best);

/// Whether the checkpoint continues a finished model; its data must then be read through the labels
/// and features of the checkpoint.
bool continues_training(const std::string& path);

/// Throws Error if the file is not a checkpoint or belongs to other data.
Checkpoint read_checkpoint(const std::string& path, std::uint64_t data_print);

}  // namespace cane

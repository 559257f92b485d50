// All that training needs to go on as if it had never stopped: the model so far, the optimiser's
// state, the place in the data, and the best weights. A model file with more in it.
#pragma once

#include <cstdint>
#include <string>

#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Two datasets with the same print are taken for the same.
std::uint64_t data_fingerprint(const DatasetView& data, const Vocabulary& vocabulary);

struct Checkpoint {
  ModelData model;  // its weights are those of `state`
  TrainState state;
  BestWeights best;
};

/// `model` describes tree, options and labels; weights come from `state`.
void write_checkpoint(const std::string& path, ModelData model, TrainState& state,
                      const BestWeights& best, std::uint64_t data_print);

/// Whether it goes on from a finished model, so that its data is read through the checkpoint's own
/// labels and features.
bool continues_training(const std::string& path);

/// Throws Error if the file is no checkpoint, or one of other data.
Checkpoint read_checkpoint(const std::string& path, std::uint64_t data_print);

}  // namespace cane

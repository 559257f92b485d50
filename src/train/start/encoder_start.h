// Where a training with an encoder begins: small random embeddings, layers that keep the length of
// what goes through them, and classes at zero. A proposal begins with a random projection.
#pragma once

#include "model/model_data.h"
#include "train/trainer.h"

namespace cane {

/// `state` has all weights at zero.
void start_encoder(const ModelData& model, TrainState& state);

}  // namespace cane

// Initial weights of a new training. Classes may start as scaled class means. A proposal always
// does, over the principal directions of the means: from zero its two factors would never move, and
// from random values its candidates would be useless. Methods with scaled features start at
// zero, with the scales of the features.
#pragma once

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/start/start_means.h"
#include "train/train_state.h"

namespace cane {

/// Starts what the method keeps besides weights, which the model shares.
void start_method_state(ModelData& model, TrainState& state);

struct StartReport {
  float class_scale = 0.0F;       // 0: the classes start at zero
  float proposal_scale = 0.0F;    // 0: there is no proposal
  bool with_frequencies = false;  // the log frequencies are part of the scores of the classes
  double loss_share = 1.0;        // initial loss of the classes, relative to a blind guess
};

/// Sets the weights and rate scales of a new state from the means of the source.
StartReport start_weights(StartMeans& source, const ModelData& model, ThreadPool& pool,
                          TrainState& state);
/// The same with the means of `data`.
StartReport start_weights(const DatasetView& data, const ModelData& model, ThreadPool& pool,
                          TrainState& state);

}  // namespace cane

// Where the weights of a fresh training begin. Classes may begin as scaled class means; a proposal
// always does, over the principal directions of the means: from zero its two factors would never
// move, and from random ones its candidates would be no better than none. Online trees begin at
// zero, with the scales of the features.
#pragma once

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// Begins what an online tree learns in addition to its weights; the model shares it.
void start_routing(ModelData& model, TrainState& state);

struct StartReport {
  float class_scale = 0.0F;     // 0: the classes begin at zero
  float proposal_scale = 0.0F;  // 0: there is no proposal
  double loss_share = 1.0;      // of a blind guess's loss, what the classes begin with
};

/// Sets the weights and rate scales of a fresh state.
StartReport start_weights(const DatasetView& data, const ModelData& model, ThreadPool& pool,
                          TrainState& state);

}  // namespace cane

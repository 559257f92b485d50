// Builds the parts of an online tree from a model.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/model_data.h"
#include "online/row_classifier.h"
#include "train/steps/online_learner.h"
#include "train/train_state.h"

namespace cane {

/// All arguments must outlive the returned objects.
std::unique_ptr<OnlineLearner> make_online_learner(const ModelData& model, const DatasetView& data,
                                                   const EncoderParts& encoder, TrainState& state);
std::unique_ptr<OnlineScorer> make_online_scorer(const ModelData& model,
                                                 const WeightViews& weights);

}  // namespace cane

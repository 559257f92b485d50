// The parts of an online tree (Filter Tree, LOMTree, Recall Tree), made from a model, as the
// trainer and the predictor know them. No other header of this room is for others.
#pragma once

#include <functional>
#include <memory>

#include "linear/scorers/class_scorer.h"
#include "model/model_data.h"
#include "search/selector.h"
#include "step/encoded_rows.h"
#include "train/steps/example_worker.h"
#include "train/train_state.h"

namespace cane {

// All arguments must outlive the returned objects.

/// What learns, one for each thread.
std::function<std::unique_ptr<ExampleWorker>()> online_learners(const ModelData& model,
                                                                const DatasetView& data,
                                                                const EncoderParts& encoder,
                                                                TrainState& state);
std::unique_ptr<ClassScorer> make_online_scorer(const ModelData& model, const WeightViews& weights);
/// `scorer`: one of make_online_scorer.
std::unique_ptr<Selector> make_online_selector(const ClassScorer& scorer);

}  // namespace cane

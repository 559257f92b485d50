// The table of methods: which scorer, selector, noise law and objective each one is made of. There
// is one training loop and one predictor; a method is a row here (docs/architecture.md).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/noise/noise_source.h"
#include "data/rows/dataset_view.h"
#include "engine/model_scorer.h"
#include "model/model_data.h"
#include "predict/batch_predictor.h"
#include "predict/evaluate.h"
#include "search/candidate_memory.h"
#include "search/proposal.h"
#include "search/selector.h"
#include "train/trainer.h"

namespace cane {

/// Scores by the weights of the model's tables. The model and the weights must outlive it.
ModelScorer make_scorer(const ModelData& model, const WeightViews& weights);

/// How classes are found when predicting. The model and the weights must outlive it.
BatchPredictor make_predictor(const ModelData& model, const WeightViews& weights);

/// `asked`: a beam other than that of training; 0: none.
SearchWidths search_widths(const ModelData& model, std::uint32_t asked);

/// Everything that learns a model's weights but the loop. The model, the data and the state must
/// outlive it.
struct TrainingMethod {
  std::unique_ptr<Encoder> encoder;  // null where features are taken as they are
  std::optional<ModelScorer> scorer;
  std::unique_ptr<Proposal> proposal;       // null unless it selects
  std::unique_ptr<Selector> selector;       // null where a proposal, or nothing, selects
  std::unique_ptr<CandidateMemory> memory;  // null unless candidates are remembered
  std::unique_ptr<FixedNoise> noise;
  std::unique_ptr<OnlineLearner> online;  // of an online tree: it and the encoder are all
  TrainingParts parts;
};
TrainingMethod make_training_method(const ModelData& model, const DatasetView& data,
                                    TrainState& state);

}  // namespace cane

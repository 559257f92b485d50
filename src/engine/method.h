// The table of methods: the scorer, selector, noise distribution and objective of each. There is
// one training loop and one predictor; a method is a row of this table (docs/architecture.md).
#pragma once

#include <memory>
#include <optional>

#include "core/noise/noise_source.h"
#include "data/rows/dataset_view.h"
#include "engine/model_scorer.h"
#include "model/model_data.h"
#include "predict/batch_predictor.h"
#include "predict/evaluate.h"
#include "search/candidate_memory.h"
#include "search/proposal.h"
#include "search/selector.h"
#include "train/classes/shard_tables.h"
#include "train/executors/training_parts.h"
#include "train/train_state.h"

namespace cane {

/// Makes a scorer over the weights of the model's tables. The model and the weights must outlive
/// it.
ModelScorer make_scorer(const ModelData& model, const WeightViews& weights);

/// Makes the selector used in prediction. The model and the weights must outlive it.
BatchPredictor make_predictor(const ModelData& model, const WeightViews& weights);

/// What kAuto means for a model: exact where that costs no more than a few searches, by the work
/// that methods/step_work counts. Other values are returned as they are.
Probability resolve_probability(const ModelData& model, Probability asked);

/// `asked`: beam that overrides the one of training; 0 keeps it.
SearchWidths search_widths(const ModelData& model, std::uint32_t asked);

/// Over an encoder, examples with shorter steps are mostly left out (EncoderParts::least_step); 0:
/// none.
float least_step(const TrainConfig& config);

/// Everything that training needs except the loop. All arguments must outlive it. `shards`: the
/// tables that the state has, if the ranks share the classes; null otherwise.
struct TrainingMethod {
  std::unique_ptr<Encoder> encoder;  // null: features are used unchanged
  std::optional<ModelScorer> scorer;
  std::unique_ptr<Proposal> proposal;       // null unless it is the selector
  std::unique_ptr<Selector> selector;       // null if a proposal selects, or nothing does
  std::unique_ptr<CandidateMemory> memory;  // null unless candidates are cached
  std::unique_ptr<FixedNoise> noise;
  std::unique_ptr<SlotLaw> slot_law;  // of a team
  TrainingParts parts;
};
TrainingMethod make_training_method(const ModelData& model, const DatasetView& data,
                                    TrainState& state, const ShardTables* shards = nullptr,
                                    Communicator* ranks = nullptr);

}  // namespace cane

// Makes the parts of a method (selector, noise distribution, gradient) according to the options of
// a model. The model and the weights must outlive the returned objects.
#pragma once

#include <cstdint>
#include <memory>

#include "core/noise/noise_source.h"
#include "data/rows/dataset_view.h"
#include "engine/model_scorer.h"
#include "linear/gradient/gradient_parts.h"
#include "linear/weights/weight_view.h"
#include "model/model_data.h"
#include "search/proposal.h"
#include "search/selector.h"
#include "step/batch_list.h"
#include "train/train_state.h"

namespace cane {

/// Makes the proposal, if the options ask for one. `prior_margin`: see TreeProposal.
std::unique_ptr<Proposal> make_proposal(const ModelData& model, const WeightViews& weights,
                                        const ModelScorer& scorer, float prior_margin);
/// Makes the selector of training candidates. Null if a proposal selects them or the label is the
/// only candidate. A selector that measures its search does so on the data, and writes what it
/// found to the state.
std::unique_ptr<Selector> make_training_selector(const ModelData& model, const ModelScorer& scorer,
                                                 const DatasetView& data, TrainState& state);
/// Makes the selector that finds the best classes in prediction.
std::unique_ptr<Selector> make_predicting_selector(const ModelData& model,
                                                   const WeightViews& weights,
                                                   const ModelScorer& scorer);

std::unique_ptr<FixedNoise> make_noise(const ModelData& model, std::uint32_t classes);

std::unique_ptr<ClassGradient> make_gradient(const ModelData& model);

/// The law of the noises that a batch shares, and the columns that it lists for all its examples:
/// the most frequent classes, its own labels, or none; or all classes.
ListMaker::Rules make_list_rules(const ModelData& model);
SlotLaw make_slot_law(const ModelData& model, const ListMaker::Rules& rules);

/// Whether a batch lists its classes together, and a team learns it by matrix products: shared
/// lists, or a full softmax over contiguous rows, not adaptive. Other steps go class by class.
bool trains_by_team(const ModelData& model);

}  // namespace cane

// The parts that a method is made of: selector, noise law, gradient. Each function makes
// the one that the options of a model name. The model and the weights must outlive what they
// return.
#pragma once

#include <cstdint>
#include <memory>

#include "core/noise/noise_source.h"
#include "engine/model_scorer.h"
#include "linear/gradient/gradient_parts.h"
#include "linear/weights/weight_view.h"
#include "model/model_data.h"
#include "search/proposal.h"
#include "search/selector.h"

namespace cane {

/// Where the options ask for one.
std::unique_ptr<Proposal> make_proposal(const ModelData& model, const WeightViews& weights,
                                        const ModelScorer& scorer);
/// Finds the candidates of training where no proposal does; null where the label is the only one.
std::unique_ptr<Selector> make_training_selector(const ModelData& model, const ModelScorer& scorer);
/// Finds the best classes when predicting.
std::unique_ptr<Selector> make_predicting_selector(const ModelData& model,
                                                   const WeightViews& weights,
                                                   const ModelScorer& scorer);

std::unique_ptr<FixedNoise> make_noise(const ModelData& model, std::uint32_t classes);

std::unique_ptr<ClassGradient> make_gradient(const ModelData& model);

/// A softmax over contiguous rows is two matrix products; other optimisers go class by class.
bool is_matrix_product(const ModelData& model);

}  // namespace cane

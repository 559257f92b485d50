// The weights of single classes, wherever they lie: for models whose scores are sums over features.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "model/model_data.h"

namespace cane {

/// Why the score of a class is no product of a vector of its own with what it sees; empty: it is.
std::string why_no_vector(const TrainConfig& config);
/// Why the score of a class is no sum over the features, a prior left out; empty: it is one.
std::string why_no_sum(const TrainConfig& config);

/// The number of weights of a class over what it sees, the features or an embedding; without the
/// bias.
FeatureId vector_size(const ModelData& model);

/// The weights of a class, then its bias: vector_size() + 1 floats. With path sums, those of its
/// path together.
void class_vector(const ModelData& model, ClassId number, std::span<float> weights);

/// The embedding of each feature, one after the other, and last that of the bias; empty unless the
/// encoder sums embeddings.
std::vector<float> feature_embeddings(const ModelData& model);

}  // namespace cane

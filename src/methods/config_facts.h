// Facts about a model's parts that follow from its options, read off the tables: which weights
// exist, and whether there is a tree, an encoder or a proposal. All automatic options must be
// resolved, except where a comment says otherwise.
#pragma once

#include <cstddef>

#include "cane/config.h"
#include "core/base/types.h"
#include "methods/encoder_table.h"
#include "methods/method_table.h"
#include "methods/noise_table.h"
#include "methods/optimizer_table.h"
#include "methods/selector_table.h"

namespace cane {

/// The kind of tree that takes long to build.
inline constexpr const char* kClusteredTree = "clustered";

/// The scorers that the method and selector support; the scorer itself may still be automatic.
FittingScorers fitting_scorers(const TrainConfig& config);
bool scorer_fits(const TrainConfig& config);
/// A selector finds the candidates of each example.
bool finds_candidates(const TrainConfig& config);
/// The examples of a batch share their candidates, if there are any, and their noises.
bool shares_lists(const TrainConfig& config);
/// Scores are sums along the path of a tree.
bool has_path_scorer(const TrainConfig& config);

/// A tree over the classes is given or built.
bool uses_tree(const TrainConfig& config);
bool uses_proposal(const TrainConfig& config);
/// The selector keeps an index with a vector for every node of the class tree.
bool indexes_tree(const TrainConfig& config);
/// There is a proposal, and its weights are those of the tree's nodes.
bool proposes_by_tree(const TrainConfig& config);
/// There is a proposal, and it is part of every score: it sees what the classes see.
bool has_prior(const TrainConfig& config);
/// There is a proposal, and it sees the features through its own projection.
bool has_projection(const TrainConfig& config);
/// Prediction looks at some of the classes only, the more the wider its beam is.
bool searches(const TrainConfig& config);
/// Filter Tree, LOMTree, Recall Tree: trained one example at a time, with their own update rules.
bool is_online_tree(const TrainConfig& config);
/// The method keeps more than its tables of weights (model/method_state.h).
bool keeps_state(const TrainConfig& config);
/// An online tree over the raw features rescales them to a common range.
bool scales_features(const TrainConfig& config);

bool has_encoder(const TrainConfig& config);
/// Most weights of classes over sparse features where the encoder is automatic, 256 MiB. With more
/// of them a class has seen few of its features, and a bag of embeddings was better on titles, next
/// words and next items, in a hundredth of the memory.
inline constexpr double kMostRowWeights = 1U << 26;
/// Number of encoder layers; 0 without an encoder.
std::size_t encoder_layers(const TrainConfig& config);
/// Number of features that the classes see for examples with `dimension` features.
FeatureId encoded_dimension(const TrainConfig& config, FeatureId dimension);
/// From this density on, dense rows are faster than gathered weights.
inline constexpr double kDenseFrom = 0.1;
/// Whether rows are stored dense. `density`: the fraction of the features that an example has; the
/// output of an encoder is dense, and shared lists need it.
bool has_dense_rows(const TrainConfig& config, double density);
/// Whether the steps of a training, all of whose options are resolved but this one, can be whitened
/// (step/whitening.h), and are not asked not to be.
bool whitens(const TrainConfig& config, double density);

}  // namespace cane

// What follows from the options of a model about its parts, read off the tables: which weights
// there are, whether there is a tree, an encoder, a proposal. Nothing in the options may be left
// open, except where a comment says so.
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

/// The kind of tree that can be built again from the class vectors.
inline constexpr const char* kClusteredTree = "clustered";

/// The scorers that fit method and selector; the scorer itself may be open.
FittingScorers fitting_scorers(const TrainConfig& config);
bool scorer_fits(const TrainConfig& config);
/// Scores are sums along the path of a tree.
bool has_path_scorer(const TrainConfig& config);

/// A tree over the classes is given or built.
bool uses_tree(const TrainConfig& config);
bool uses_proposal(const TrainConfig& config);
/// There is a proposal, and its weights belong to the nodes of the tree.
bool proposes_by_tree(const TrainConfig& config);
/// Filter Tree, LOMTree, Recall Tree: they learn example by example, by steps of their own.
bool is_online_tree(const TrainConfig& config);
/// Online trees with counts at their nodes.
bool uses_routing(const TrainConfig& config);
/// An online tree over the features themselves puts them on one scale.
bool scales_features(const TrainConfig& config);
/// Whether the tree can be rebuilt while the classes learn: path sums, or a proposal over a tree.
/// Scores of a hierarchical softmax belong to its nodes.
bool can_rebuild_tree(const TrainConfig& config);

bool has_encoder(const TrainConfig& config);
/// The layers of the encoder; 0 without one.
std::size_t encoder_layers(const TrainConfig& config);
/// Features that the classes see, where an example has `dimension`.
FeatureId encoded_dimension(const TrainConfig& config, FeatureId dimension);
/// Whether rows are best spread out. `density`: the share of the features that an example has; what
/// an encoder makes of it is dense.
bool has_dense_rows(const TrainConfig& config, double density);

}  // namespace cane

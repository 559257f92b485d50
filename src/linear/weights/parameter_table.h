// The tables of weights a model is made of, each with its layout. What tables there are follows
// from the options: the classes; for a proposal the projection of the features to a few dimensions,
// and the classes over these; and last the layers of an encoder.
#pragma once

#include <string>
#include <vector>

#include "cane/config.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"

namespace cane {

/// Places in the list of tables.
inline constexpr std::size_t kClassTable = 0;
inline constexpr std::size_t kProjectionTable = 1;
inline constexpr std::size_t kProposalTable = 2;
/// Of a Recall Tree, whose class table has the classes; the other online trees have their routers
/// there. Where scales_features says so, the scales of the features are the last table.
inline constexpr std::size_t kRouterTable = 1;

/// Its routers are numbered by 32 bits, and all of them are there from the start.
inline constexpr std::uint32_t kMaxDepthRecallTree = 30;

inline constexpr std::uint32_t kMaxWidthEncoder = 4096;
inline constexpr std::uint32_t kMaxDepthEncoder = 16;

enum class TableRole {
  kVectors,     // columns are vectors to score with: of classes, children, routers
  kProposal,    // the same over projected features
  kEmbeddings,  // rows are what a feature becomes: an encoder's layer, a projection
  kFactors      // a factor for every feature
};

struct ParameterTable {
  std::string name;  // of the tensor in a model file
  BlockLayout layout;
  TableRole role = TableRole::kVectors;
};

/// Of these options, with nothing left to be chosen.
bool uses_tree(const TrainConfig& config);
bool uses_proposal(const TrainConfig& config);
/// Filter Tree, LOMTree, Recall Tree: they learn example by example, by steps of their own.
bool is_online_tree(const TrainConfig& config);
/// Those with counts at their nodes.
bool uses_routing(const TrainConfig& config);
/// An online tree over the features themselves puts them on one scale.
bool scales_features(const TrainConfig& config);

/// The layers of the encoder: so many tables, the last of all. Each is one block whose columns are
/// the units.
std::size_t encoder_layers(const TrainConfig& config);
/// Features that the classes see, of `dimension` that an example has.
FeatureId encoded_dimension(const TrainConfig& config, FeatureId dimension);

/// `tree` may be empty where uses_tree says no. `flat_width`: classes in a block of a flat table.
std::vector<ParameterTable> make_tables(const TrainConfig& config, const ClassTree& tree,
                                        std::uint32_t classes, FeatureId dimension,
                                        std::uint32_t flat_width);

/// The widths of a flat table: a row for every class where examples are dense, and panels of a few
/// classes where they are sparse. `density`: the share of features that an example has; what an
/// encoder makes of it is dense.
inline constexpr std::uint32_t kRowWidth = 1;
inline constexpr std::uint32_t kPanelWidth = 16;
std::uint32_t flat_width(const TrainConfig& config, double density);

std::size_t total_size(const std::vector<ParameterTable>& tables);

}  // namespace cane

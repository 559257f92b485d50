// The tables of weights a model is made of, each with its layout. What tables there are follows
// from the options: the classes; for a proposal the projection of the features to a few dimensions,
// and the classes over these; and last the layers of an encoder, each one block whose columns are
// the units.
#pragma once

#include <string>
#include <vector>

#include "cane/config.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"
#include "methods/config_facts.h"

namespace cane {

/// Places in the list of tables.
inline constexpr std::size_t kClassTable = 0;
inline constexpr std::size_t kProjectionTable = 1;
inline constexpr std::size_t kProposalTable = 2;
/// The routers of an online tree with candidates at its nodes, whose class table has the classes;
/// the other online trees have their routers in the class table. Where scales_features says so, the
/// scales of the features are the last table.
inline constexpr std::size_t kRouterTable = 1;

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

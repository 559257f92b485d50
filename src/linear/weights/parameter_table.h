// The weight tables of a model, each with its layout. The options determine which tables exist: the
// classes; for a proposal, the projection of the features to a few dimensions, unless it sees all
// of them, and its own classes or nodes; and last the layers of an encoder, each one block whose
// columns are the units.
#pragma once

#include <string>
#include <vector>

#include "cane/config.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"
#include "methods/config_facts.h"

namespace cane {

/// Indices in the list of tables.
inline constexpr std::size_t kClassTable = 0;
inline constexpr std::size_t kProjectionTable = 1;
inline std::size_t proposal_table(const TrainConfig& config) {
  return has_projection(config) ? kProjectionTable + 1 : kClassTable + 1;
}
/// What the search in an index of the tree needs for each level: a row of margins and one of
/// factors (search/centroid_selector.h). Levels below the last one are like it.
inline constexpr std::size_t kLevelTable = 1;
inline constexpr FeatureId kTableLevels = 32;
/// The routers of an online tree with candidates at its nodes, whose class table holds the classes;
/// other online trees keep their routers in the class table. If scales_features is true, the
/// feature scales are the last table.
inline constexpr std::size_t kRouterTable = 1;

enum class TableRole {
  kVectors,     // columns are vectors to score with, for classes, children or routers
  kProposal,    // the same of a proposal
  kEmbeddings,  // rows are feature embeddings: an encoder's layer, a projection
  kFactors      // numbers that are set, not learned: feature scales, margins of a search
};

struct ParameterTable {
  std::string name;  // name of the tensor in a model file
  BlockLayout layout;
  TableRole role = TableRole::kVectors;
};

/// `tree` may be empty if uses_tree is false. `flat_width`: classes per block of a flat table.
std::vector<ParameterTable> make_tables(const TrainConfig& config, const ClassTree& tree,
                                        std::uint32_t classes, FeatureId dimension,
                                        std::uint32_t flat_width);

/// Block width of a flat table: one row per class for dense examples, panels of a few classes for
/// sparse ones. `density`: fraction of the features that an example has; the output of an encoder
/// is dense.
inline constexpr std::uint32_t kRowWidth = 1;
inline constexpr std::uint32_t kPanelWidth = 16;
std::uint32_t flat_width(const TrainConfig& config, double density);

std::size_t total_size(const std::vector<ParameterTable>& tables);

}  // namespace cane

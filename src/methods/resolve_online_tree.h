// The part of resolve() for the online trees: Filter Tree, LOMTree and Recall Tree.
#pragma once

#include "cane/config.h"
#include "methods/resolve.h"

namespace cane {

/// Throws Error if an option specific to one of these trees is given with another method.
void refuse_options_of_other_trees(const TrainConfig& asked);

/// Resolves the automatic options of an online tree. Throws Error on an option that it does not
/// use.
void resolve_online_tree(const DataFacts& facts, Resolved& resolved);

}  // namespace cane

// The part of resolve() for the trees that learn online: Filter Tree, LOMTree and Recall Tree.
#pragma once

#include "cane/config.h"
#include "methods/resolve.h"

namespace cane {

/// Throws Error where an option of one of them is given with another method.
void refuse_options_of_other_trees(const TrainConfig& asked);

/// Fills in what is left open for an online tree. Throws Error where an option plays no part in it.
void resolve_online_tree(const DataFacts& facts, Resolved& resolved);

}  // namespace cane

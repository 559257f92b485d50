// The part of `choose` that is about Filter Tree, LOMTree and Recall Tree.
#pragma once

#include "cane/config.h"
#include "methods/choose.h"

namespace cane {

/// Throws Error where an option of one of them is given with another method.
void refuse_options_of_other_trees(const TrainConfig& asked);

/// Fills in what is left open of one of them. Throws Error where an option plays no part in it.
void choose_online_tree(const DataFacts& facts, Choice& choice);

}  // namespace cane

// How rare each feature is in the training data, for weights that count frequent features less.
#pragma once

#include <vector>

#include "core/parallel/run_context.h"
#include "data/blocks/block_store.h"
#include "data/blocks/number_map.h"

namespace cane {

/// 1 + ln((1 + n) / (1 + df)), of a feature that occurs in df of n examples.
float rarity(double examples, double with_feature);

/// Feature -> its rarity in the blocks of all ranks. Reads the blocks a few at a time; the result
/// does not depend on the threads, nor on how ranks share the blocks.
std::vector<float> rarity_factors(const BlockStore& blocks, const NumberMap& map,
                                  const RunContext& run);

/// Numbers of a table are no counts: the features of its columns of numbers keep their values,
/// whatever becomes of the counts of words.
void keep_numbers_unweighted(Vocabulary& vocabulary);

}  // namespace cane

// How an encoder starts: embeddings with small random values, layers so that they preserve the
// length of their input. A proposal then has a random projection. Weights depend on the seed and on
// the index of the table among those of the model.
#pragma once

#include <cstdint>

#include "cane/config.h"
#include "linear/weights/parameter_table.h"

namespace cane {

/// Each sets weights that are zero, and returns the factor on the rate of the table.
float start_layer(const TrainConfig& config, const BlockLayout& layout, std::uint32_t table,
                  bool is_first, float* weights);
float start_random_projection(const TrainConfig& config, const BlockLayout& layout, float* weights);

}  // namespace cane

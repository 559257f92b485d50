// Creates an output layer from its options.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lm/heads/head_options.h"
#include "lm/heads/output_layer.h"

namespace cane::lm {

/// Throws Error if the options do not fit the vocabulary. Weights are drawn from the CPU generator
/// and the seed. `text` is the training text; a layer that only scores needs none.
std::shared_ptr<OutputLayer> make_output_layer(const HeadOptions& options,
                                               std::span<const std::uint64_t> counts,
                                               std::span<const std::uint32_t> text,
                                               std::int64_t width, std::uint64_t seed,
                                               torch::Device device);

}  // namespace cane::lm

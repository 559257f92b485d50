// The table of output layers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lm/heads/head_options.h"
#include "lm/heads/output_layer.h"

namespace cane::lm {

/// Throws Error if the options do not fit the words. Weights are drawn from the generator of the
/// CPU and the seed. `text` is what is trained on; a layer that only scores needs none.
std::shared_ptr<OutputLayer> make_output_layer(const HeadOptions& options,
                                               std::span<const std::uint64_t> counts,
                                               std::span<const std::uint32_t> text,
                                               std::int64_t width, std::uint64_t seed,
                                               torch::Device device);

}  // namespace cane::lm

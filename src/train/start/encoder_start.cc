#include "train/start/encoder_start.h"

#include <cmath>

#include "core/base/random.h"
#include "methods/encoder_table.h"

namespace cane {
namespace {

// AdaGrad steps relative to those of the classes; for the first layer, see methods/encoder_table.h.
// A row of embeddings has one accumulator for all its units: the step of one unit is smaller by the
// square root of their number.
constexpr float kLayerRate = 0.1F;
constexpr float kProjectionRate = 0.1F;

// Uniform in (-range, range), for `units` columns; bias and padding stay zero.
void set_random(const BlockLayout& layout, std::uint32_t units, double range, std::uint64_t seed,
                std::uint32_t table, float* weights) {
  const CounterRandom random(seed, RandomPurpose::kEncoder, table);
  const std::size_t stride = layout.shape(0).stride;
  for (std::size_t i = 0; i < layout.dimension(); ++i) {
    for (std::uint32_t c = 0; c < units; ++c) {
      weights[i * stride + c] = static_cast<float>((2.0 * random.uniform(i, c) - 1.0) * range);
    }
  }
}

}  // namespace

float start_layer(const TrainConfig& config, const BlockLayout& layout, std::uint32_t table,
                  bool is_first, float* weights) {
  const EncoderRow& encoder = row_of(config.encoder);
  const auto dim = static_cast<double>(config.dim);
  set_random(layout, config.dim, encoder.start_range(dim), config.seed, table, weights);
  return is_first ? encoder.first_layer_rate * static_cast<float>(std::sqrt(dim)) : kLayerRate;
}

float start_random_projection(const TrainConfig& config, const BlockLayout& layout,
                              float* weights) {
  set_random(layout, config.rank, std::sqrt(3.0 / static_cast<double>(config.rank)), config.seed,
             kProjectionTable, weights);
  return kProjectionRate;
}

}  // namespace cane

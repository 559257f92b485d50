#include "train/start/encoder_start.h"

#include <cmath>

#include "core/base/random.h"

namespace cane {
namespace {

// Steps of AdaGrad relative to those of the classes; for the first layer, methods/encoder_table.h.
// A row of embeddings has one accumulator for all of its units: the step of one unit is smaller by
// the root of their number.
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

void start_encoder(const ModelData& model, TrainState& state) {
  const TrainConfig& config = model.config;
  const EncoderRow& encoder = row_of(config.encoder);
  const auto count = static_cast<std::uint32_t>(model.tables.size());
  const auto first = static_cast<std::uint32_t>(count - encoder_layers(config));
  const auto dim = static_cast<double>(config.dim);
  for (std::uint32_t table = first; table < count; ++table) {
    const bool is_first = table == first;
    set_random(model.tables[table].layout, config.dim, encoder.start_range(dim), config.seed, table,
               state.weights[table].data());
    state.rate_scales[table] =
        is_first ? encoder.first_layer_rate * static_cast<float>(std::sqrt(dim)) : kLayerRate;
  }
  if (!uses_proposal(config)) return;
  set_random(model.tables[kProjectionTable].layout, config.rank,
             std::sqrt(3.0 / static_cast<double>(config.rank)), config.seed, kProjectionTable,
             state.weights[kProjectionTable].data());
  state.rate_scales[kProjectionTable] = kProjectionRate;
}

}  // namespace cane

#include "linear/weights/quantized_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cane/error.h"

namespace cane {
namespace {

constexpr float kLargest = 127.0F;

// Calls body(weights of a row of a block, destination, feature, first column, columns).
template <typename Body>
void for_each_row(const BlockLayout& layout, const float* weights, const Body& body) {
  for (NodeId block = 0; block < layout.node_bound(); ++block) {
    const BlockShape shape = layout.shape(block);
    const float* from = weights + layout.offset(block);
    const std::size_t to = layout.weights_offset(block);
    for (std::size_t i = 0; i < shape.dimension; ++i) {
      body(std::span(from + i * shape.stride, shape.stride), to + i * shape.stride, i,
           layout.first_column(block));
    }
  }
}

void check_weights(const ParameterTable& table, const float* weights, QuantizedType type) {
  float largest = 0.0F;
  bool finite = true;
  for (std::size_t i = 0; i < table.layout.size(); ++i) {
    largest = std::max(largest, std::abs(weights[i]));
    finite = finite && std::isfinite(weights[i]);
  }
  if (!finite) {
    throw Error(
        fmt::format("{} has weights that are infinite or not a number; train again with a lower "
                    "`lr`",
                    table.name));
  }
  if (type == QuantizedType::kFloat16 && largest > kLargestHalf) {
    throw Error(fmt::format("{} has a weight of {:g}, and 16 bits hold up to {:g}; use `bits 8`",
                            table.name, static_cast<double>(largest),
                            static_cast<double>(kLargestHalf)));
  }
}

std::vector<float> make_scales(const ParameterTable& table, const float* weights) {
  std::vector<float> scales(scale_count(table), 0.0F);
  const bool by_feature = scales_by_feature(table);
  for_each_row(
      table.layout, weights,
      [&](std::span<const float> row, std::size_t, std::size_t feature, std::size_t first_column) {
        for (std::size_t c = 0; c < row.size(); ++c) {
          float& scale = scales[by_feature ? feature : first_column + c];
          scale = std::max(scale, std::abs(row[c]));
        }
      });
  for (float& scale : scales) {
    scale /= kLargest;
    // Vectors whose scale would be subnormal are rounded to zero.
    if (scale < std::numeric_limits<float>::min()) scale = 0.0F;
  }
  return scales;
}

std::int8_t to_int8(float weight, float scale) {
  if (scale == 0.0F) return 0;
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(weight / scale), -kLargest, kLargest));
}

}  // namespace

QuantizedWeights QuantizedTable::weights() const {
  const void* first = bytes.data();
  if (type == QuantizedType::kFloat16) first = halves.data();
  return {type, first, biases.data(), scales.data(), scales_features};
}

QuantizedTable quantize_table(const ParameterTable& table, const float* weights,
                              QuantizedType type) {
  check_weights(table, weights, type);
  const BlockLayout& layout = table.layout;
  QuantizedTable quantized;
  quantized.type = type;
  quantized.scales_features = scales_by_feature(table);
  quantized.biases.resize(layout.columns());
  for (NodeId block = 0; block < layout.node_bound(); ++block) {
    const BlockShape shape = layout.shape(block);
    std::copy_n(weights + layout.offset(block) + std::size_t{shape.dimension} * shape.stride,
                shape.stride, quantized.biases.data() + layout.first_column(block));
  }
  const bool is_int8 = type == QuantizedType::kInt8;
  if (is_int8) {
    quantized.scales = make_scales(table, weights);
    quantized.bytes = AlignedBuffer<std::int8_t>(layout.weights_size());
  } else {
    quantized.halves = AlignedBuffer<Half>(layout.weights_size());
  }
  for_each_row(layout, weights,
               [&](std::span<const float> row, std::size_t to, std::size_t feature,
                   std::size_t first_column) {
                 for (std::size_t c = 0; c < row.size(); ++c) {
                   const float weight = row[c];
                   bool is_zero = false;
                   if (is_int8) {
                     const std::size_t scale =
                         quantized.scales_features ? feature : first_column + c;
                     quantized.bytes.data()[to + c] = to_int8(weight, quantized.scales[scale]);
                     is_zero = quantized.bytes.data()[to + c] == 0;
                   } else {
                     quantized.halves.data()[to + c] = to_half(weight);
                     is_zero = to_float(quantized.halves.data()[to + c]) == 0.0F;
                   }
                   quantized.zeros += is_zero ? 1 : 0;
                 }
               });
  return quantized;
}

}  // namespace cane

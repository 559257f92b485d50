// The table of encoders: what the classes are scored over. An encoder is a class in
// linear/encoders, a case of its make_encoder, and a row here.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "cane/config.h"
#include "methods/rows.h"

namespace cane {

namespace ranges {
inline double none(double /*dim*/) {
  return 0.0;
}
inline double embedding(double dim) {
  return 0.5 / dim;
}
// ReLU halves the square of a length; the inputs of the first layer are about of length one.
inline double rectified(double dim) {
  return std::sqrt(6.0 / dim);
}
}  // namespace ranges

struct EncoderRow {
  EncoderKind kind = EncoderKind::kIdentity;
  const char* name = "";
  const char* summary = "";

  /// False: the features are taken as they are, without any weights.
  bool has_layers = false;
  /// As many layers as the option `layers` says, with dropout; without: one layer.
  bool has_hidden_layers = false;
  /// Weights begin uniform in (-range, range).
  double (*start_range)(double dim) = ranges::none;
  /// Steps of AdaGrad on the first layer, relative to those of the classes.
  float first_layer_rate = 1.0F;
};

inline constexpr std::array kEncoders = {
    EncoderRow{
        .kind = EncoderKind::kIdentity, .name = "identity", .summary = "the features as they are"},
    EncoderRow{.kind = EncoderKind::kBag,
               .name = "bag",
               .summary = "the sum of an embedding for each feature",
               .has_layers = true,
               .start_range = ranges::embedding,
               .first_layer_rate = 1.0F},
    // Large steps would leave units of ReLU where no example reaches them.
    EncoderRow{.kind = EncoderKind::kMlp,
               .name = "mlp",
               .summary = "layers with ReLU over the features",
               .has_layers = true,
               .has_hidden_layers = true,
               .start_range = ranges::rectified,
               .first_layer_rate = 0.3F}};
static_assert(is_in_order(kEncoders));

constexpr const EncoderRow& row_of(EncoderKind encoder) {
  return row_at(kEncoders, encoder);
}

}  // namespace cane

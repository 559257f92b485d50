// The table of encoders, which compute the input of the class scores. To add an encoder, add a
// class in linear/encoders, a case in make_encoder and a row here.
#pragma once

#include <array>
#include <cmath>

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
// ReLU halves the squared length; the inputs of the first layer have a length near one.
inline double rectified(double dim) {
  return std::sqrt(6.0 / dim);
}
}  // namespace ranges

struct EncoderRow {
  EncoderKind kind = EncoderKind::kIdentity;
  const char* name = "";
  const char* summary = "";

  /// If false, the raw features are used, without any weights.
  bool has_layers = false;
  /// The number of layers is given by the option `layers`, with dropout; if false, there is one
  /// layer.
  bool has_hidden_layers = false;
  /// The learners of src/device have it; if false, it is trained on the processor only.
  bool trains_on_device = false;
  /// Weights are initialised uniformly in (-range, range).
  double (*start_range)(double dim) = ranges::none;
  /// AdaGrad step size of the first layer, relative to that of the classes.
  float first_layer_rate = 1.0F;
};

inline constexpr std::array kEncoders = {
    EncoderRow{.kind = EncoderKind::kIdentity,
               .name = "identity",
               .summary = "the features as they are",
               .trains_on_device = true},
    EncoderRow{.kind = EncoderKind::kBag,
               .name = "bag",
               .summary = "the sum of an embedding for each feature",
               .has_layers = true,
               .trains_on_device = true,
               .start_range = ranges::embedding,
               .first_layer_rate = 1.0F},
    // Large steps would push ReLU units where no example activates them.
    EncoderRow{.kind = EncoderKind::kMlp,
               .name = "mlp",
               .summary = "layers with ReLU over the features",
               .has_layers = true,
               .has_hidden_layers = true,
               .start_range = ranges::rectified,
               .first_layer_rate = 0.3F},
    // Until resolve() has seen the data.
    EncoderRow{.kind = EncoderKind::kAuto,
               .name = "auto",
               .summary = "the features, or the bag where these would take too many weights"}};
static_assert(is_in_order(kEncoders));

constexpr const EncoderRow& row_of(EncoderKind encoder) {
  return row_at(kEncoders, encoder);
}

}  // namespace cane

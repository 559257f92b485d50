// Quantization: a smaller model for prediction only, with weights in 8 or 16 bits instead of 32 and
// without the training state.
#pragma once

#include <cstdint>

#include "cane/model.h"

namespace cane {

struct QuantizeOptions {
  /// 8: integers with a scale for each class or feature; 16: IEEE 754 binary16.
  std::uint32_t bits = 8;
};

struct QuantizeResult {
  /// A complete model that can do everything except train.
  Model model;
  /// Fraction of the class weights (of its nodes where a method has no class vectors) that were
  /// rounded to zero. A table with many zeros is saved without them.
  double zeros = 0.0;
};

/// Throws Error on invalid options, on a model that is already quantized, and on weights that do
/// not fit into 16 bits.
QuantizeResult quantize(const Model& model, const QuantizeOptions& options = {});

}  // namespace cane

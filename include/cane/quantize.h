// A smaller model to predict with: weights in 8 or 16 bits instead of 32, and without what only
// training needs.
#pragma once

#include <cstdint>

#include "cane/model.h"

namespace cane {

struct QuantizeOptions {
  /// 8: whole numbers, with a scale for each class or feature; 16: IEEE 754 binary16.
  std::uint32_t bits = 8;
  /// Weights of classes that are smaller than this in size become zero.
  float drop = 0.0F;
};

struct QuantizeResult {
  /// A model like any other, but for training.
  Model model;
  /// Share of the weights of classes (of routers, in a Filter Tree or LOMTree) that are zero,
  /// dropped or rounded. A table with many zeros is saved without them.
  double zeros = 0.0;
};

/// Throws Error on options that cannot be, on a model that is quantized already, and on weights
/// that do not fit into 16 bits.
QuantizeResult quantize(const Model& model, const QuantizeOptions& options = {});

}  // namespace cane

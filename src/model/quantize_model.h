// A model with its weights in 8 or 16 bits, to predict with: smaller, and often quicker. All but
// the factors of the features is quantized (quantized_table.h).
#pragma once

#include "model/model_data.h"

namespace cane {

struct QuantizedModel {
  ModelData model;     // holds its own weights
  double zeros = 0.0;  // share of the class weights that are zero
};

/// `quantization.bits` is 8 or 16. Throws Error if the model is quantized already, or its weights
/// do not fit.
QuantizedModel quantize_model(const ModelData& model, const Quantization& quantization);

/// Bytes of the weights of a table in memory.
std::size_t stored_bytes(const ModelData& model, std::size_t table);

}  // namespace cane

// A model for prediction only, with its weights in 8 or 16 bits: smaller, and often faster.
// Everything except the feature factors is quantized (quantized_table.h).
//
// In a file, a table consists of NAME.biases, NAME.scales (8 bits only) and its weights: either
// NAME, used directly in the mapping, or, if zeros make that at least a quarter smaller, NAME.gaps
// and NAME.values (quantized_table.h), which are decoded on loading. Scoring reads the few weights
// of a feature in one contiguous load, so a list of nonzero weights would be slower, and smaller
// only if nearly all weights are zero.
#pragma once

#include "model/model_data.h"

namespace cane {

class ArchiveReader;
class ArchiveWriter;

struct QuantizedModel {
  ModelData model;     // owns its weights
  double zeros = 0.0;  // fraction of the class weights that are zero
};

/// `quantization.bits` must be 8 or 16. Throws Error if the model is already quantized or its
/// weights do not fit.
QuantizedModel quantize_model(const ModelData& model, const Quantization& quantization);

/// Size in memory of the weights of a table.
std::size_t stored_bytes(const ModelData& model, std::size_t table);

/// Reads or writes the tensors of one table of a quantized model. Reading throws Error unless they
/// match the layout and all weights, scales and biases are numbers; decoded weights are owned by
/// the archive.
void write_quantized(ArchiveWriter& archive, const ParameterTable& table,
                     const QuantizedWeights& weights);
QuantizedWeights read_quantized(ArchiveReader& archive, const ParameterTable& table,
                                const Quantization& quantization);

}  // namespace cane

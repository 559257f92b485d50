// A model with its weights in 8 or 16 bits, to predict with: smaller, and often quicker. All but
// the factors of the features is quantized (quantized_table.h).
//
// In a file a table is NAME.biases, NAME.scales in 8 bits, and its weights: NAME, used where it is
// mapped; or, where zeros make that smaller by a quarter at least, NAME.gaps and NAME.values
// (quantized_table.h), spread out on loading. Scoring reads the few weights of a feature side by
// side in one load, so that a list of those that are not zero would be slower, and smaller only
// where nearly all are zero.
#pragma once

#include "model/model_data.h"

namespace cane {

class ArchiveReader;
class ArchiveWriter;

struct QuantizedModel {
  ModelData model;     // holds its weights
  double zeros = 0.0;  // share of the class weights that are zero
};

/// `quantization.bits` is 8 or 16. Throws Error if the model is quantized already, or its weights
/// do not fit.
QuantizedModel quantize_model(const ModelData& model, const Quantization& quantization);

/// Bytes of the weights of a table in memory.
std::size_t stored_bytes(const ModelData& model, std::size_t table);

/// The tensors of one table of a quantized model. Reading throws Error unless they fit the layout,
/// and weights, scales and biases are numbers; what is spread out is kept by the archive.
void write_quantized(ArchiveWriter& archive, const ParameterTable& table,
                     const QuantizedWeights& weights);
QuantizedWeights read_quantized(ArchiveReader& archive, const ParameterTable& table,
                                const Quantization& quantization);

}  // namespace cane

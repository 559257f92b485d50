// The quantized tables of a model as tensors of a file, and back. A table is NAME.biases,
// NAME.scales in 8 bits, and its weights: NAME, used where it is mapped; or, where zeros make that
// smaller by a quarter at least, NAME.gaps and NAME.values (sparse_code.h), spread out on loading.
// Scoring reads the few weights of a feature side by side in one load, so that a list of those that
// are not zero would be slower, and smaller only where nearly all are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/file/safetensors.h"
#include "linear/weights/sparse_code.h"
#include "model/model_data.h"

namespace cane {

/// The tensors of the tables that are quantized. It holds what they point to, but the tables.
class QuantizedTensors {
 public:
  explicit QuantizedTensors(const ModelData& model);

  /// By the size of their elements; `tables` are multiples of a cache line long, and go first.
  const std::vector<TensorToWrite>& tables() const { return tables_; }
  const std::vector<TensorToWrite>& four_bytes() const { return four_bytes_; }
  const std::vector<TensorToWrite>& two_bytes() const { return two_bytes_; }
  const std::vector<TensorToWrite>& bytes() const { return bytes_; }

 private:
  template <typename T, typename IsZero>
  void add_weights(const ParameterTable& table, const void* weights, const IsZero& is_zero,
                   std::vector<SparseCode<T>>& codes, std::vector<TensorToWrite>& values);

  std::vector<TensorToWrite> tables_;
  std::vector<TensorToWrite> four_bytes_;
  std::vector<TensorToWrite> two_bytes_;
  std::vector<TensorToWrite> bytes_;
  std::vector<SparseCode<std::int8_t>> int8_codes_;
  std::vector<SparseCode<Half>> half_codes_;
};

/// The name under which a file tells that it is quantized.
inline constexpr const char* kQuantizedEntry = "cane.quantized";
bool is_quantized(const SafetensorsFile& file);

/// The weights of a table, in the mapped file or in `storage`. Throws Error unless they fit the
/// layout, and scales and biases are numbers.
WeightView read_quantized(const SafetensorsFile& file, const ParameterTable& table,
                          const Quantization& quantization,
                          std::vector<std::shared_ptr<const void>>& storage);

/// Columns that the file has a bias for: a table that has more is not in it.
std::size_t quantized_columns(const SafetensorsFile& file, const std::string& table);

}  // namespace cane

#include "model/quantize_model.h"

#include <algorithm>

#include "cane/error.h"
#include "linear/weights/quantized_table.h"

namespace cane {
namespace {

// Columns that fill up blocks are zero, too.
double share_of_zeros(const ModelData& model, const ParameterTable& table, std::size_t zeros) {
  const std::size_t dimension = table.layout.dimension();
  std::size_t columns = table.layout.columns();
  if (model.config.scorer == ScorerKind::kPath) {
    columns = std::size_t{model.tree.node_count()} - 1;
  } else if (!is_online_tree(model.config)) {
    columns = model.vocabulary.labels.size();
  }
  const std::size_t padding = (table.layout.columns() - columns) * dimension;
  return static_cast<double>(zeros - padding) /
         static_cast<double>(std::max<std::size_t>(columns * dimension, 1));
}

}  // namespace

QuantizedModel quantize_model(const ModelData& model, const Quantization& quantization) {
  if (model.quantization.is_quantized()) {
    throw Error("the model is quantized already; quantize the one that it was made from");
  }
  const QuantizedType type =
      quantization.bits == 8 ? QuantizedType::kInt8 : QuantizedType::kFloat16;
  struct Storage {
    std::shared_ptr<const void> factors;  // of the features, as they were
    std::vector<QuantizedTable> tables;
  };
  auto storage = std::make_shared<Storage>();
  if (is_online_tree(model.config)) storage->factors = model.storage;
  QuantizedModel result = {model, 0.0};
  result.model.quantization = quantization;
  for (std::size_t i = 0; i < model.tables.size(); ++i) {
    const ParameterTable& table = model.tables[i];
    if (table.role == TableRole::kFactors) continue;
    const bool drops = table.role == TableRole::kVectors;
    storage->tables.push_back(
        quantize_table(table, model.weights[i].floats(), type, drops ? quantization.drop : 0.0F));
    result.model.weights[i] = storage->tables.back().weights();
    if (i == kClassTable) {
      result.zeros = share_of_zeros(model, table, storage->tables.back().zeros);
    }
  }
  result.model.storage = std::move(storage);
  return result;
}

std::size_t stored_bytes(const ModelData& model, std::size_t table) {
  const ParameterTable& described = model.tables[table];
  if (!model.weights[table].is_quantized()) return described.layout.size() * sizeof(float);
  const bool is_int8 = model.quantization.bits == 8;
  const std::size_t scales = is_int8 ? scale_count(described) : 0;
  return described.layout.weights_size() * (is_int8 ? 1 : sizeof(Half)) +
         (scales + described.layout.columns()) * sizeof(float);
}

}  // namespace cane

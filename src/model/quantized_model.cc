#include "model/quantized_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cane/error.h"
#include "core/file/archive.h"
#include "linear/weights/quantized_table.h"

namespace cane {
namespace {

// Padding columns are zero as well and are not counted.
double share_of_zeros(const ModelData& model, const ParameterTable& table, std::size_t zeros) {
  const std::size_t dimension = table.layout.dimension();
  std::size_t columns = table.layout.columns();
  if (has_path_scorer(model.config)) {
    columns = std::size_t{model.tree.node_count()} - 1;
  } else if (!is_online_tree(model.config)) {
    columns = model.vocabulary.labels.size();
  }
  const std::size_t padding = (table.layout.columns() - columns) * dimension;
  return static_cast<double>(zeros - padding) /
         static_cast<double>(std::max<std::size_t>(columns * dimension, 1));
}

// A table that is decoded on loading is no longer shared with the file, so it must be this much
// smaller.
constexpr double kMaxSizeRatio = 0.75;

bool is_zero(std::int8_t weight) {
  return weight == 0;
}
bool is_zero(Half weight) {
  return (weight.bits & 0x7FFFU) == 0;
}
bool is_number(std::int8_t /*weight*/) {
  return true;
}
bool is_number(Half weight) {
  return (weight.bits & 0x7C00U) != 0x7C00U;
}

void check_values(const ArchiveReader& archive, const std::string& name, bool fits) {
  if (!fits) throw_damaged(archive.file(), fmt::format("{} has values that cannot be", name));
}

template <typename T>
void describe_dense(auto& archive, const ParameterTable& table, const T*& weights) {
  archive.view(table.name, weights, table.layout.weights_size(), kTableAlignment);
}

template <typename T>
void describe_sparse(auto& archive, const ParameterTable& table,
                     std::span<const std::uint8_t>& gaps, std::span<const T>& values) {
  archive.view(table.name + ".gaps", gaps);
  archive.view(table.name + ".values", values);
}

void describe_biases_and_scales(auto& archive, const ParameterTable& table,
                                QuantizedWeights& stored) {
  if (stored.type == QuantizedType::kInt8) {
    archive.view(table.name + ".scales", stored.scales, scale_count(table));
  }
  archive.view(table.name + ".biases", stored.biases, table.layout.columns());
}

template <typename T>
void write_weights(ArchiveWriter& archive, const ParameterTable& table, const T* weights) {
  const std::span<const T> dense(weights, table.layout.weights_size());
  SparseCode<T> code = encode_sparse(dense, [](T weight) { return is_zero(weight); });
  if (static_cast<double>(code.bytes()) > kMaxSizeRatio * static_cast<double>(dense.size_bytes())) {
    describe_dense(archive, table, weights);
    return;
  }
  const SparseCode<T>& kept = archive.keep(std::move(code));
  std::span<const std::uint8_t> gaps = kept.gaps;
  std::span<const T> values = kept.values;
  describe_sparse(archive, table, gaps, values);
}

template <typename T>
const T* read_weights(ArchiveReader& archive, const ParameterTable& table) {
  const auto check = [&](std::span<const T> values) {
    check_values(archive, table.name,
                 std::ranges::all_of(values, [](T value) { return is_number(value); }));
  };
  const std::size_t size = table.layout.weights_size();
  const T* weights = nullptr;
  if (archive.file().has(table.name)) {
    describe_dense(archive, table, weights);
    check({weights, size});
    return weights;
  }
  std::span<const std::uint8_t> gaps;
  std::span<const T> values;
  describe_sparse(archive, table, gaps, values);
  if (!is_sparse_code(gaps, values.size(), size)) {
    throw_damaged(archive.file(), fmt::format("{} does not fit the model", table.name));
  }
  check(values);
  AlignedBuffer<T>& spread = archive.keep(AlignedBuffer<T>(size));
  decode_sparse(gaps, values.data(), spread.data());
  return spread.data();
}

}  // namespace

QuantizedModel quantize_model(const ModelData& model, const Quantization& quantization) {
  if (model.quantization.is_quantized()) {
    throw Error("the model is quantized already; quantize the one that it was made from");
  }
  const QuantizedType type =
      quantization.bits == 8 ? QuantizedType::kInt8 : QuantizedType::kFloat16;
  struct Storage {
    std::shared_ptr<const void> factors;  // factors of the features, unchanged
    std::vector<QuantizedTable> tables;
  };
  auto storage = std::make_shared<Storage>();
  if (is_online_tree(model.config)) storage->factors = model.storage;
  QuantizedModel result = {model, 0.0};
  result.model.quantization = quantization;
  result.model.kept = {};  // for further training, of which it is not capable
  for (std::size_t i = 0; i < model.tables.size(); ++i) {
    const ParameterTable& table = model.tables[i];
    if (table.role == TableRole::kFactors) continue;
    storage->tables.push_back(quantize_table(table, model.weights[i].floats(), type));
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

void write_quantized(ArchiveWriter& archive, const ParameterTable& table,
                     const QuantizedWeights& weights) {
  QuantizedWeights stored = weights;
  describe_biases_and_scales(archive, table, stored);
  if (stored.type == QuantizedType::kInt8) {
    write_weights(archive, table, static_cast<const std::int8_t*>(stored.weights));
  } else {
    write_weights(archive, table, static_cast<const Half*>(stored.weights));
  }
}

QuantizedWeights read_quantized(ArchiveReader& archive, const ParameterTable& table,
                                const Quantization& quantization) {
  QuantizedWeights stored = {};
  stored.type = quantization.bits == 8 ? QuantizedType::kInt8 : QuantizedType::kFloat16;
  stored.scales_features = scales_by_feature(table);
  describe_biases_and_scales(archive, table, stored);
  check_values(archive, table.name + ".biases",
               std::ranges::all_of(std::span(stored.biases, table.layout.columns()),
                                   [](float bias) { return std::isfinite(bias); }));
  if (stored.type == QuantizedType::kFloat16) {
    stored.weights = read_weights<Half>(archive, table);
    return stored;
  }
  check_values(archive, table.name + ".scales",
               std::ranges::all_of(std::span(stored.scales, scale_count(table)), [](float scale) {
                 return std::isfinite(scale) && scale >= 0.0F;
               }));
  stored.weights = read_weights<std::int8_t>(archive, table);
  return stored;
}

}  // namespace cane

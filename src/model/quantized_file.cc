#include "model/quantized_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/file/damaged.h"
#include "linear/weights/quantized_table.h"

namespace cane {
namespace {

// A table that is spread out on loading is no longer shared with the file.
constexpr double kWorthwhile = 0.75;

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

std::span<const float> read_floats(const SafetensorsFile& file, const std::string& name,
                                   std::size_t size, bool may_be_negative) {
  const auto values = file.values<float>(name);
  if (values.size() != size) {
    throw_damaged(file, fmt::format("{} does not fit the classes and features", name));
  }
  const bool fits = std::ranges::all_of(values, [&](float value) {
    return std::isfinite(value) && (may_be_negative || value >= 0.0F);
  });
  if (!fits) throw_damaged(file, fmt::format("{} has values that cannot be", name));
  return values;
}

template <typename T>
const T* read_weights(const SafetensorsFile& file, const ParameterTable& table,
                      std::vector<std::shared_ptr<const void>>& storage) {
  const std::size_t size = table.layout.weights_size();
  const auto fail = [&] {
    throw_damaged(file, fmt::format("{} does not fit the classes and features", table.name));
  };
  const auto check = [&](std::span<const T> values) {
    const bool fits = std::ranges::all_of(values, [](T value) { return is_number(value); });
    if (!fits) throw_damaged(file, fmt::format("{} has values that cannot be", table.name));
  };
  if (file.has(table.name)) {
    const auto values = file.values<T>(table.name);
    if (values.size() != size) fail();
    check(values);
    return values.data();
  }
  const auto gaps = file.values<std::uint8_t>(table.name + ".gaps");
  const auto values = file.values<T>(table.name + ".values");
  if (!is_sparse_code(gaps, values.size(), size)) fail();
  check(values);
  auto spread = std::make_shared<AlignedBuffer<T>>(size);
  decode_sparse(gaps, values.data(), spread->data());
  storage.push_back(spread);
  return spread->data();
}

}  // namespace

template <typename T, typename IsZero>
void QuantizedTensors::add_weights(const ParameterTable& table, const void* weights,
                                   const IsZero& is_zero_weight, std::vector<SparseCode<T>>& codes,
                                   std::vector<TensorToWrite>& values) {
  const std::span<const T> dense(static_cast<const T*>(weights), table.layout.weights_size());
  SparseCode<T> code = encode_sparse(dense, is_zero_weight);
  if (static_cast<double>(code.bytes()) > kWorthwhile * static_cast<double>(dense.size_bytes())) {
    tables_.push_back(tensor_to_write<T>(table.name, dense));
    return;
  }
  codes.push_back(std::move(code));
  bytes_.push_back(tensor_to_write<std::uint8_t>(table.name + ".gaps", codes.back().gaps));
  values.push_back(tensor_to_write<T>(table.name + ".values", codes.back().values));
}

QuantizedTensors::QuantizedTensors(const ModelData& model) {
  for (std::size_t i = 0; i < model.tables.size(); ++i) {
    const ParameterTable& table = model.tables[i];
    if (!model.weights[i].is_quantized()) continue;
    const QuantizedWeights& stored = model.weights[i].quantized();
    if (stored.type == QuantizedType::kInt8) {
      const auto zero = [](std::int8_t weight) { return is_zero(weight); };
      add_weights<std::int8_t>(table, stored.weights, zero, int8_codes_, bytes_);
      four_bytes_.push_back(
          tensor_to_write<float>(table.name + ".scales", {stored.scales, scale_count(table)}));
    } else {
      const auto zero = [](Half weight) { return is_zero(weight); };
      add_weights<Half>(table, stored.weights, zero, half_codes_, two_bytes_);
    }
    four_bytes_.push_back(
        tensor_to_write<float>(table.name + ".biases", {stored.biases, table.layout.columns()}));
  }
}

bool is_quantized(const SafetensorsFile& file) {
  return file.metadata().contains(kQuantizedEntry);
}

std::size_t quantized_columns(const SafetensorsFile& file, const std::string& table) {
  return file.values<float>(table + ".biases").size();
}

WeightView read_quantized(const SafetensorsFile& file, const ParameterTable& table,
                          const Quantization& quantization,
                          std::vector<std::shared_ptr<const void>>& storage) {
  const auto biases = read_floats(file, table.name + ".biases", table.layout.columns(), true);
  QuantizedWeights stored = {};
  stored.biases = biases.data();
  stored.scales_features = scales_by_feature(table);
  if (quantization.bits == 8) {
    stored.type = QuantizedType::kInt8;
    stored.scales = read_floats(file, table.name + ".scales", scale_count(table), false).data();
    stored.weights = read_weights<std::int8_t>(file, table, storage);
  } else {
    stored.type = QuantizedType::kFloat16;
    stored.weights = read_weights<Half>(file, table, storage);
  }
  return stored;
}

}  // namespace cane

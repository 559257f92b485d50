// ONNX is a message of Protocol Buffers: the numbers of its fields are those of onnx.proto.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/error.h"
#include "cane/export.h"
#include "cane/names.h"
#include "cane/version.h"
#include "core/base/memory.h"
#include "core/file/atomic_file.h"
#include "methods/config_facts.h"
#include "model/class_vectors.h"
#include "model/model_data.h"

namespace cane {
namespace {

// Messages of Protocol Buffers, written field by field: the few kinds of fields that ONNX needs.
class ProtobufWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
  }
  /// A string, bytes, or a message that is finished.
  void text(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | kLengthDelimited);
    varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const ProtobufWriter& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kLengthDelimited = 2;

  void varint(std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    for (; value >= kMore; value >>= 7) bytes_ += static_cast<char>(value | kMore);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

constexpr std::uint64_t kFloat = 1;      // TensorProto.DataType
constexpr std::uint64_t kInt = 2;        // AttributeProto.AttributeType
constexpr std::uint64_t kIrVersion = 7;  // of ONNX 1.8, as the operators are
constexpr std::uint64_t kOperators = 13;

std::string_view as_text(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

ProtobufWriter tensor(const std::string& name, std::span<const std::uint64_t> shape,
                      std::span<const float> values) {
  ProtobufWriter message;
  for (const std::uint64_t size : shape) message.number(1, size);
  message.number(2, kFloat);
  message.text(8, name);
  message.text(9, as_text(values));
  return message;
}

/// A matrix of floats with any number of rows.
ProtobufWriter matrix_info(const std::string& name, std::uint64_t columns) {
  ProtobufWriter rows;
  rows.text(2, "examples");
  ProtobufWriter width;
  width.number(1, columns);
  ProtobufWriter shape;
  shape.message(1, rows);
  shape.message(1, width);
  ProtobufWriter type;
  type.number(1, kFloat);
  type.message(2, shape);
  ProtobufWriter any_type;
  any_type.message(1, type);
  ProtobufWriter info;
  info.text(1, name);
  info.message(2, any_type);
  return info;
}

class Graph {
 public:
  /// input x matrix + biases
  std::string add_layer(const std::string& name, const std::string& input, std::uint64_t inputs,
                        std::uint64_t outputs, std::span<const float> matrix,
                        std::span<const float> biases, const std::string& output) {
    message_.message(5, tensor(name + ".weights", std::vector{inputs, outputs}, matrix));
    message_.message(5, tensor(name + ".biases", std::vector{outputs}, biases));
    add_node("MatMul", {input, name + ".weights"}, name + ".products");
    return add_node("Add", {name + ".products", name + ".biases"}, output);
  }

  std::string add_node(const std::string& operation, const std::vector<std::string>& inputs,
                       const std::string& output, const ProtobufWriter* attribute = nullptr) {
    ProtobufWriter node;
    for (const std::string& input : inputs) node.text(1, input);
    node.text(2, output);
    node.text(3, output);
    node.text(4, operation);
    if (attribute != nullptr) node.message(5, *attribute);
    message_.message(1, node);
    return output;
  }

  void finish(std::uint64_t features, std::uint64_t classes) {
    message_.text(2, "cane");
    message_.message(11, matrix_info("features", features));
    message_.message(12, matrix_info("scores", classes));
    message_.message(12, matrix_info("probabilities", classes));
  }

  const ProtobufWriter& message() const { return message_; }

 private:
  ProtobufWriter message_;
};

Graph graph_of(const ModelData& model) {
  const std::uint64_t features = model.vocabulary.dimension;
  const std::uint64_t size = vector_size(model);
  const std::uint64_t classes = model.vocabulary.labels.size();
  Graph graph;
  std::string input = "features";
  if (const std::vector<float> embeddings = feature_embeddings(model); !embeddings.empty()) {
    const std::span<const float> all(embeddings);
    input = graph.add_layer("encoder", input, features, size, all.first(features * size),
                            all.subspan(features * size), "embedding");
  }
  // A column for each class.
  std::vector<float> matrix(size * classes);
  std::vector<float> biases(classes);
  std::vector<float> vector(size + 1);
  for (std::uint64_t k = 0; k < classes; ++k) {
    class_vector(model, static_cast<ClassId>(k), vector);
    for (std::uint64_t i = 0; i < size; ++i) matrix[i * classes + k] = vector[i];
    biases[k] = vector[size];
  }
  const std::string scores =
      graph.add_layer("classes", input, size, classes, matrix, biases, "scores");
  ProtobufWriter axis;
  axis.text(1, "axis");
  axis.number(3, 1);
  axis.number(20, kInt);
  graph.add_node("Softmax", {scores}, "probabilities", &axis);
  graph.finish(features, classes);
  return graph;
}

void add_property(ProtobufWriter& model, const std::string& key, const std::string& value) {
  ProtobufWriter entry;
  entry.text(1, key);
  entry.text(2, value);
  model.message(14, entry);
}

std::string json_list(const std::vector<std::string>& names) {
  return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void check_can_be_onnx(const ModelData& model) {
  std::string why = why_no_vector(model.config);
  if (why.empty()) why = why_no_sum(model.config);
  if (!why.empty()) {
    throw Error(
        fmt::format("this model cannot be exported as ONNX: {}; train with `method "
                    "softmax`, with or without `encoder bag`",
                    why));
  }
  constexpr double kMostBytes = 2147483648.0;
  const double size = vector_size(model);
  const double floats = size * static_cast<double>(model.vocabulary.labels.size()) +
                        (has_encoder(model.config) ? size * model.vocabulary.dimension : 0.0);
  if (const double bytes = 4.0 * floats; bytes >= kMostBytes) {
    throw Error(fmt::format(
        "this model cannot be exported as ONNX: its matrices have {}, and a file holds 2 GiB",
        bytes_as_text(static_cast<std::uint64_t>(bytes))));
  }
}

}  // namespace

void export_onnx(const Model& model, const std::string& path) {
  const ModelData& data = model.data();
  check_can_be_onnx(data);
  ProtobufWriter message;
  message.number(1, kIrVersion);
  message.text(2, "cane");
  message.text(3, version());
  message.message(7, graph_of(data).message());
  ProtobufWriter operators;
  operators.text(1, "");
  operators.number(2, kOperators);
  message.message(8, operators);
  const Vocabulary& vocabulary = data.vocabulary;
  add_property(message, "labels", json_list(model.labels()));
  if (!vocabulary.words.empty()) add_property(message, "words", json_list(vocabulary.words));
  add_property(message, "tokenizer", name_of(vocabulary.tokenizer));
  add_property(message, "weights", name_of(vocabulary.weights));
  add_property(message, "normalize", name_of(vocabulary.normalize));
  check_file(data);
  AtomicFile file(path);
  file.write(message.bytes());
  file.commit();
}

}  // namespace cane

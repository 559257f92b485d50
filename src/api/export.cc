#include "cane/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "data/matrix/npy_array.h"
#include "methods/config_facts.h"
#include "model/class_vectors.h"
#include "model/model_data.h"

namespace cane {
namespace {

struct Vectors {
  std::size_t count = 0;
  std::size_t size = 0;  // floats of each
  std::function<void(std::size_t number, std::span<float> vector)> fill;
  std::function<std::string(std::size_t number)> name;
};

void write_npy(const Vectors& vectors, const std::string& path) {
  AtomicFile file(path);
  file.write(npy_header("<f4", fmt::format("{}, {}", vectors.count, vectors.size)));
  AtomicFile names(names_path(path));
  std::vector<float> vector(vectors.size);
  for (std::size_t i = 0; i < vectors.count; ++i) {
    vectors.fill(i, vector);
    file.write(std::as_bytes(std::span(vector)));
    names.write(vectors.name(i) + '\n');
  }
  file.commit();
  names.commit();
}

void write_word2vec(const Vectors& vectors, const std::string& path) {
  AtomicFile file(path);
  file.write(fmt::format("{} {}\n", vectors.count, vectors.size));
  std::vector<float> vector(vectors.size);
  for (std::size_t i = 0; i < vectors.count; ++i) {
    vectors.fill(i, vector);
    std::string line = vectors.name(i);
    std::ranges::replace_if(
        line, [](char byte) { return byte == ' ' || byte == '\t'; }, '_');
    for (const float value : vector) line += fmt::format(" {}", value);
    file.write(line + '\n');
  }
  file.commit();
}

void check_vectors(const TrainConfig& config) {
  const std::string why = why_no_vector(config);
  if (why.empty()) return;
  throw Error(
      fmt::format("class vectors cannot be exported: {}; train with `method softmax`, say", why));
}

}  // namespace

std::string names_path(const std::string& path) {
  const std::filesystem::path file(path);
  if (file.extension() != ".npy") return {};
  return std::filesystem::path(file).replace_extension(".labels.txt").string();
}

ClassVectors class_vectors(const Model& model) {
  const ModelData& data = model.data();
  check_vectors(data.config);
  ClassVectors vectors = {model.classes(), vector_size(data), {}, {}};
  vectors.weights.reserve(vectors.classes * vectors.size);
  std::vector<float> with_bias(vectors.size + 1);
  for (std::size_t number = 0; number < vectors.classes; ++number) {
    std::ranges::fill(with_bias, 0.0F);
    class_vector(data, static_cast<ClassId>(number), with_bias);
    vectors.weights.insert(vectors.weights.end(), with_bias.begin(), with_bias.end() - 1);
    vectors.biases.push_back(with_bias.back());
  }
  check_file(data);
  return vectors;
}

void export_classes(const Model& model, const std::string& path) {
  const ModelData& data = model.data();
  check_vectors(data.config);
  const bool is_matrix = !names_path(path).empty();
  const std::size_t size = vector_size(data);
  std::vector<float> with_bias(size + 1);
  const Vectors vectors = {.count = model.classes(),
                           .size = is_matrix ? size + 1 : size,
                           .fill =
                               [&](std::size_t number, std::span<float> vector) {
                                 class_vector(data, static_cast<ClassId>(number), with_bias);
                                 std::copy_n(with_bias.begin(), vector.size(), vector.begin());
                               },
                           .name = [&](std::size_t number) { return model.labels()[number]; }};
  is_matrix ? write_npy(vectors, path) : write_word2vec(vectors, path);
  check_file(data);
}

void export_embeddings(const Model& model, const std::string& path) {
  const ModelData& data = model.data();
  const std::vector<float> embeddings = feature_embeddings(data);
  if (embeddings.empty()) {
    throw Error("there are no embeddings to export: the model has no `encoder bag`");
  }
  const Vocabulary& vocabulary = data.vocabulary;
  const std::size_t size = data.config.dim;
  const Vectors vectors = {
      .count = vocabulary.dimension,
      .size = size,
      .fill =
          [&](std::size_t number, std::span<float> vector) {
            const auto first = embeddings.begin() + static_cast<std::ptrdiff_t>(number * size);
            std::copy_n(first, size, vector.begin());
          },
      .name =
          [&](std::size_t number) {
            return number < vocabulary.words.size() ? vocabulary.words[number]
                                                    : fmt::format("{}", number);
          }};
  names_path(path).empty() ? write_word2vec(vectors, path) : write_npy(vectors, path);
  check_file(data);
}

}  // namespace cane

// Examples in memory that are easy to tell apart, and short trainings on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "cane/examples.h"

namespace cane::testing {

/// Rows around the centres of their classes, with their owners.
struct Blobs {
  static constexpr std::size_t kClasses = 12;
  static constexpr std::size_t kColumns = 6;

  explicit Blobs(std::size_t rows) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    std::vector<float> centres(kClasses * kColumns);
    for (float& value : centres) value = 3.0F * normal(random);
    for (std::size_t row = 0; row < rows; ++row) {
      classes.push_back(static_cast<std::uint32_t>(random() % kClasses));
      for (std::size_t column = 0; column < kColumns; ++column) {
        values.push_back(centres[classes.back() * kColumns + column] + normal(random));
      }
    }
    for (std::size_t label = 0; label < kClasses; ++label) labels.push_back(std::to_string(label));
    offsets.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < kColumns; ++column) indices.push_back(column);
      offsets.push_back(indices.size());
    }
  }

  Examples dense() const {
    Examples examples;
    examples.features = DenseRows{values.data(), classes.size(), kColumns};
    examples.classes = classes;
    examples.labels = labels;
    return examples;
  }
  Examples sparse() const {
    Examples examples = dense();
    examples.features = SparseRows{offsets, indices, values, kColumns};
    return examples;
  }

  std::vector<float> values;
  std::vector<std::uint32_t> classes;
  std::vector<std::string> labels;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> indices;
};

inline TrainConfig quick() {
  TrainConfig config;
  config.epochs = 3;
  config.threads = 1;
  return config;
}

inline std::vector<std::uint32_t> answers(const Model& model, const Examples& examples,
                                          std::uint32_t top_k = 1) {
  std::vector<std::uint32_t> classes(examples.size() * top_k);
  PredictOptions options;
  options.top_k = top_k;
  options.threads = 2;
  Predictor(model, options).predict(examples, {classes.data()});
  return classes;
}

}  // namespace cane::testing

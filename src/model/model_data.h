// All of a model: what was learned, and what is needed to read data and to predict with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "cane/config.h"
#include "data/vocabulary.h"
#include "model/parameter_table.h"
#include "model/routing_state.h"
#include "tree/class_tree.h"

namespace cane {

struct ModelData {
  TrainConfig config;
  Vocabulary vocabulary;
  ClassTree tree;  // empty where the method needs none
  /// Of an online tree that learns its tree; otherwise null. While it is trained, the live one.
  std::shared_ptr<const RoutingState> routing;
  std::uint32_t flat_width = 1;  // classes in a block of a flat table
  std::vector<ParameterTable> tables;
  std::vector<std::span<const float>> weights;  // of each table
  std::shared_ptr<const void> storage;          // what `weights` points into
  std::uint32_t epochs_trained = 0;
  std::uint64_t training_examples = 0;
  std::vector<std::uint64_t> class_counts;  // training examples of each class
};

inline std::vector<std::span<const float>> spans_of(
    const std::vector<AlignedBuffer<float>>& weights) {
  std::vector<std::span<const float>> spans;
  for (const AlignedBuffer<float>& table : weights) spans.push_back(table.span());
  return spans;
}

}  // namespace cane

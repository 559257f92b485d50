// All of a model: what was learned, and what is needed to read data and to predict with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "data/vocabulary.h"
#include "model/block_layout.h"
#include "tree/class_tree.h"

namespace cane {

struct ModelData {
  TrainConfig config;
  Vocabulary vocabulary;
  ClassTree tree;
  BlockLayout layout;
  std::span<const float> weights;       // layout.size() floats
  std::shared_ptr<const void> storage;  // what `weights` points into
  std::uint32_t epochs_trained = 0;
  std::uint64_t training_examples = 0;
  std::vector<std::uint64_t> class_counts;  // training examples of each class
};

}  // namespace cane

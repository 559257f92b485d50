// The complete data of a model: what was trained, and what is needed to read data and to predict.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cane/config.h"
#include "cane/model.h"
#include "core/file/mapped_file.h"
#include "core/tree/class_tree.h"
#include "data/rows/row_lengths.h"
#include "data/vocabulary/vocabulary.h"
#include "linear/weights/parameter_table.h"
#include "linear/weights/weight_view.h"
#include "methods/retired_options.h"
#include "model/calibration.h"
#include "model/kept_examples.h"
#include "model/method_state.h"

namespace cane {

/// Alignment of tables in a file: their sizes in bytes are multiples of it, and the first table
/// begins at a cache line.
inline constexpr std::size_t kTableAlignment = 16;

/// How the weights of a model are stored.
struct Quantization {
  std::uint32_t bits = 32;  // 32: as floats; 16 or 8

  bool is_quantized() const { return bits < 32; }
};

struct ModelData {
  TrainConfig config;
  RetiredOptions retired;  // that the file of the model held
  Vocabulary vocabulary;
  ClassTree tree;  // empty if the method needs none
  /// What the method keeps besides weights; null: nothing. During training, it is the state that
  /// training modifies.
  std::shared_ptr<const MethodState> method_state;
  std::uint32_t flat_width = 1;  // classes in a block of a flat table
  std::vector<ParameterTable> tables;
  WeightViews weights;                     // one view per table
  std::shared_ptr<const void> storage;     // owns what `weights` points into
  std::shared_ptr<const MappedFile> file;  // that `weights` points into; null: none
  Quantization quantization;               // how they are stored
  Calibration calibration;                 // of the probabilities
  std::uint32_t epochs_trained = 0;
  std::uint64_t training_examples = 0;
  std::vector<std::uint64_t> class_counts;  // training examples of each class
  RowLengths row_lengths;                   // of the training examples
  KeptExamples kept;                        // some of them
  Origin origin;
  std::map<std::string, std::string> attributes;  // of programs: see Model::attributes
};

/// Throws Error if the file of the model has changed since it was loaded: what was computed since
/// may be wrong. Call it after computing, before a result is given away.
inline void check_file(const ModelData& model) {
  if (model.file != nullptr) model.file->check_unchanged();
}

/// The weights of a table that is not quantized.
inline std::span<const float> float_weights(const ModelData& model, std::size_t table) {
  return {model.weights[table].floats(), model.tables[table].layout.size()};
}

}  // namespace cane

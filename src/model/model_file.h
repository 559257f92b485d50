// A model as a safetensors file (docs/file-formats.md). A checkpoint is the same file with more
// tensors and metadata beside the model's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/file/safetensors.h"
#include "model/model_data.h"

namespace cane {

using Metadata = std::map<std::string, std::string>;

/// What a checkpoint has beside the model.
struct ExtraContents {
  std::vector<TensorToWrite> wide;    // of eight-byte elements, which are written first
  std::vector<TensorToWrite> narrow;  // of four-byte elements, of any length
  Metadata metadata;
  bool for_training = false;  // with what only further training needs
};

void write_model(const std::string& path, const ModelData& model,
                 const ExtraContents& further = {});

/// The weights stay in the mapped file. Throws Error unless everything fits together.
ModelData read_model(const SafetensorsFile& file);

}  // namespace cane

// A model as a safetensors file (docs/file-formats.md). A checkpoint is the same file with more
// tensors and metadata beside the model's.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/model_data.h"
#include "model/safetensors.h"

namespace cane {

using Metadata = std::map<std::string, std::string>;

/// Further float tensors, of any length, are written after those of eight-byte elements.
void write_model(const std::string& path, const ModelData& model,
                 std::span<const std::pair<std::string, std::span<const float>>> further = {},
                 const Metadata& further_metadata = {});

/// The weights stay in the mapped file. Throws Error unless everything fits together.
ModelData read_model(const SafetensorsFile& file);

}  // namespace cane

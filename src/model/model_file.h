// A model as a safetensors file (docs/file-formats.md). One description in model_file.cc both
// writes and reads it. A checkpoint is the same file with more tensors and metadata.
#pragma once

#include <string>

#include "core/file/archive.h"
#include "core/file/safetensors.h"
#include "model/model_data.h"

namespace cane {

void write_model(const std::string& path, const ModelData& model);

/// The weights stay in the mapped file. Throws Error unless everything fits together.
ModelData read_model(const SafetensorsFile& file);

/// The same as part of a file with more in it. `for_training`: with what only the rest of a
/// training needs.
void write_model(ArchiveWriter& archive, const ModelData& model, bool for_training);
ModelData read_model(ArchiveReader& archive);

/// The metadata entry that a file has if its weights are quantized.
inline constexpr const char* kQuantizedEntry = "cane.quantized";

}  // namespace cane

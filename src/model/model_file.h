// A model as a safetensors file (docs/file-formats.md). One description in model_file.cc both
// writes and reads it. A checkpoint is the same file with more tensors and metadata.
#pragma once

#include <map>
#include <string>

#include "core/file/archive.h"
#include "core/file/safetensors.h"
#include "model/model_data.h"

namespace cane {

void write_model(const std::string& path, const ModelData& model);

/// The bytes of its file.
std::string model_bytes(const ModelData& model);

/// The metadata that its file has, checksums left out.
std::map<std::string, std::string> model_metadata(const ModelData& model);

/// The weights stay in the mapped file. Throws Error unless everything is consistent.
ModelData read_model(const SafetensorsFile& file);

/// The same as part of a file that contains more. `for_training`: include the state that is needed
/// only to continue training.
void write_model(ArchiveWriter& archive, const ModelData& model, bool for_training);
ModelData read_model(ArchiveReader& archive);

/// Metadata entry that is present if the weights are quantized.
inline constexpr const char* kQuantizedEntry = "cane.quantized";

}  // namespace cane

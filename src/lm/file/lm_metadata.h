// Metadata in the file of a language model. It is separate from the model so that it can be read
// without LibTorch. Files of version 0.1 have the same entries under other names.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/file/safetensors.h"

namespace cane {

/// Values as text, by name.
struct LmMetadata {
  std::map<std::string, std::string> options;   // options of the model
  std::map<std::string, std::string> training;  // facts about its training
};

/// Tensors of the vocabulary: counts and ends of the words (U64), and their bytes (U8).
inline constexpr const char* kLmWordCounts = "vocabulary.counts";
inline constexpr const char* kLmWordEnds = "vocabulary.ends";
inline constexpr const char* kLmWordBytes = "vocabulary.bytes";

/// `writer`: name and version of the program.
std::map<std::string, std::string> to_metadata(const LmMetadata& model, const std::string& writer);
/// Empty if the file is not a language model or has another format version. Throws Error on
/// malformed entries.
std::optional<LmMetadata> lm_metadata_of(const SafetensorsFile& file);

}  // namespace cane

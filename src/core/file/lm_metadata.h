// What the metadata of a language model's file says: here, and not with the model, so that it can
// be read where there is no LibTorch. Files of 0.1 have the same under other names.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/file/safetensors.h"

namespace cane {

/// Values as text by name.
struct LmMetadata {
  std::map<std::string, std::string> options;   // of the model
  std::map<std::string, std::string> training;  // what is known of it
};

/// The tensors of the vocabulary: counts and ends of the words (U64), and their bytes (U8).
inline constexpr const char* kLmWordCounts = "vocabulary.counts";
inline constexpr const char* kLmWordEnds = "vocabulary.ends";
inline constexpr const char* kLmWordBytes = "vocabulary.bytes";

/// `writer`: program and version.
std::map<std::string, std::string> to_metadata(const LmMetadata& model, const std::string& writer);
/// None: the file is no language model, or one of another version. Throws Error on entries that
/// cannot be read.
std::optional<LmMetadata> lm_metadata_of(const SafetensorsFile& file);

}  // namespace cane

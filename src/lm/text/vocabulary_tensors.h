// A vocabulary as tensors of a safetensors file: counts and end offsets of the words (U64), and all
// words concatenated as bytes (U8).
#pragma once

#include <cstdint>
#include <vector>

#include "core/file/safetensors.h"
#include "lm/text/word_vocabulary.h"

namespace cane::lm {

/// Owns the memory of the tensors to be written.
class VocabularyTensors {
 public:
  VocabularyTensors() = default;
  explicit VocabularyTensors(const WordVocabulary& vocabulary);

  std::vector<TensorToWrite> to_write() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint8_t> bytes_;
};

bool has_vocabulary(const SafetensorsFile& file);
/// Throws Error unless the tensors are a valid vocabulary.
WordVocabulary load_vocabulary(const SafetensorsFile& file);

}  // namespace cane::lm

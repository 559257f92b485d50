// A vocabulary as tensors of a safetensors file: counts and ends of the words (U64), and all words
// in one row of bytes (U8).
#pragma once

#include <cstdint>
#include <vector>

#include "core/file/safetensors.h"
#include "lm/text/word_vocabulary.h"

namespace cane::lm {

/// Keeps the memory of the tensors to be written.
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
/// Throws Error unless it is a vocabulary in every respect.
WordVocabulary load_vocabulary(const SafetensorsFile& file);

}  // namespace cane::lm

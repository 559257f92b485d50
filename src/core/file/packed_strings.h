// Labels and words in a model file: plain, as all bytes end to end and where each string ends; or,
// in a quantized model, compressed by zstd, where they would otherwise be a good part of the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file/safetensors.h"

namespace cane {

/// Tensors NAME.ends and NAME.text, or NAME.packed. It holds what they point to.
class PackedStrings {
 public:
  PackedStrings(std::string name, std::span<const std::string> strings, bool compressed);

  std::vector<TensorToWrite> tensors() const;

 private:
  std::string name_;
  bool compressed_;
  std::vector<std::uint8_t> text_;
  std::vector<std::uint64_t> ends_;
};

/// Throws Error naming the file unless the strings are as they were written.
std::vector<std::string> unpack_strings(const SafetensorsFile& file, const std::string& name,
                                        bool compressed);

}  // namespace cane

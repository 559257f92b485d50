// LibTorch tensors in a safetensors file: written from any device, and copied back into tensors of
// the same names, shapes and types. 64-bit integers are stored bit for bit as U64.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "core/file/safetensors.h"

namespace cane::lm {

class TensorsToWrite {
 public:
  void add(const std::string& name, const torch::Tensor& tensor);
  void add(const TensorToWrite& tensor) { others_.push_back(tensor); }
  void write(const std::string& path, const std::map<std::string, std::string>& metadata) const {
    write_safetensors(path, all(), metadata);
  }
  /// Valid as long as this object, and what was added as TensorToWrite, is.
  std::vector<TensorToWrite> all() const;

 private:
  struct Entry {
    std::string name;
    torch::Tensor tensor;
  };
  std::vector<Entry> entries_;
  std::vector<TensorToWrite> others_;
};

/// Throws Error unless the file has the tensor in this shape and type.
void copy_from(const SafetensorsFile& file, const std::string& name, torch::Tensor tensor);

}  // namespace cane::lm

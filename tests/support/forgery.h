// A safetensors file that can be altered and rewritten with valid checksums.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/file/safetensors.h"

namespace cane::testing {

struct Forgery {
  explicit Forgery(const SafetensorsFile& file) : metadata(file.metadata()) {
    for (const auto& [name, tensor] : file.tensors()) {
      const std::size_t elements = tensor.shape.empty() ? 1 : tensor.shape.front();
      tensors[name] = {tensor.type,
                       elements == 0 ? 1 : tensor.bytes.size() / elements,
                       {tensor.bytes.begin(), tensor.bytes.end()}};
    }
  }
  template <typename T>
  void replace(const std::string& name, std::size_t index, T value) {
    std::memcpy(tensors.at(name).bytes.data() + index * sizeof(T), &value, sizeof(T));
  }
  void write(const std::string& path) const {
    std::vector<TensorToWrite> list;
    for (const auto& [name, tensor] : tensors) {
      list.push_back({.name = name,
                      .type = tensor.type,
                      .shape = {tensor.bytes.size() / tensor.element_size},
                      .bytes = tensor.bytes});
    }
    write_safetensors(path, list, metadata);
  }

  struct Tensor {
    TensorType type;
    std::size_t element_size;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

}  // namespace cane::testing

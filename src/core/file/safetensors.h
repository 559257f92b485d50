// The safetensors file format: eight bytes of header length, a JSON header, then the tensors
// without gaps. On top of it we keep checksums in the metadata: one for every tensor, one for the
// header itself, so that a damaged byte anywhere is found before anything is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/half.h"

namespace cane {

class MappedFile;

enum class TensorType { kUint8, kUint32, kUint64, kFloat32, kFloat64, kInt8, kFloat16 };

/// The safetensors name of an element type and back: C++ type -> TensorType.
template <typename T>
struct TensorTypeOf;
template <>
struct TensorTypeOf<std::uint8_t> {
  static constexpr TensorType value = TensorType::kUint8;
};
template <>
struct TensorTypeOf<std::uint32_t> {
  static constexpr TensorType value = TensorType::kUint32;
};
template <>
struct TensorTypeOf<std::uint64_t> {
  static constexpr TensorType value = TensorType::kUint64;
};
template <>
struct TensorTypeOf<float> {
  static constexpr TensorType value = TensorType::kFloat32;
};

template <>
struct TensorTypeOf<double> {
  static constexpr TensorType value = TensorType::kFloat64;
};

template <>
struct TensorTypeOf<std::int8_t> {
  static constexpr TensorType value = TensorType::kInt8;
};
template <>
struct TensorTypeOf<Half> {
  static constexpr TensorType value = TensorType::kFloat16;
};

/// A tensor to be written; the bytes belong to the caller.
struct TensorToWrite {
  std::string name;
  TensorType type;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

template <typename T>
TensorToWrite tensor_to_write(std::string name, std::span<const T> values,
                              std::vector<std::uint64_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  return {std::move(name), TensorTypeOf<T>::value, std::move(shape), std::as_bytes(values)};
}

/// Writes all tensors in the given order and the metadata; temporary file, sync, rename. The data
/// section begins at a multiple of 64 bytes, so a first tensor is aligned for SIMD. 8-byte types
/// must be at offsets divisible by 8 in the file: the order given is kept, so put wide types first
/// (an Error says which tensor is misplaced).
void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);

/// A safetensors file of ours, mapped into memory, with every size, offset and checksum verified by
/// the constructor. Throws Error, "file: what is wrong; what to do", on anything else.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const;
  /// Without the entries that hold checksums.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The value of a metadata entry; Error if there is none.
  const std::string& metadata(const std::string& key) const;

  struct Tensor {
    TensorType type;
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> bytes;
  };
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  bool has(const std::string& name) const { return tensors_.contains(name); }

  /// The elements of a tensor; Error if there is none of that name and type. Valid as long as a
  /// copy of mapping() is held.
  template <typename T>
  std::span<const T> values(const std::string& name) const {
    const auto bytes = checked_bytes(name, TensorTypeOf<T>::value);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  std::shared_ptr<const MappedFile> mapping() const { return mapping_; }

 private:
  std::span<const std::byte> checked_bytes(const std::string& name, TensorType type) const;

  std::shared_ptr<const MappedFile> mapping_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace cane

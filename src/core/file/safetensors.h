// The safetensors file format: eight bytes of header length, a JSON header, then the tensors
// without gaps. The metadata in the header holds checksums as well: one for every tensor and one
// for the header, so that a damaged byte anywhere is found before anything is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/half.h"

namespace cane {

class AtomicFile;
class MappedFile;

enum class TensorType { kUint8, kUint32, kUint64, kFloat32, kFloat64, kInt8, kFloat16 };

/// The TensorType of a C++ type.
template <typename T>
inline constexpr TensorType kTensorTypeOf = [] {
  if constexpr (std::is_same_v<T, std::uint8_t>) return TensorType::kUint8;
  if constexpr (std::is_same_v<T, std::uint32_t>) return TensorType::kUint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return TensorType::kUint64;
  if constexpr (std::is_same_v<T, float>) return TensorType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return TensorType::kFloat64;
  if constexpr (std::is_same_v<T, std::int8_t>) return TensorType::kInt8;
  if constexpr (std::is_same_v<T, Half>) return TensorType::kFloat16;
}();

/// A tensor to be written; the bytes belong to the caller.
struct TensorToWrite {
  std::string name;
  TensorType type;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
  /// In the file the tensor begins at a multiple of this, and of the size of its elements.
  std::size_t alignment = 1;
};

template <typename T>
TensorToWrite tensor_to_write(std::string name, std::span<const T> values,
                              std::vector<std::uint64_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  return {std::move(name), kTensorTypeOf<T>, std::move(shape), std::as_bytes(values)};
}

/// Writes all tensors and the metadata: temporary file, sync, rename. The data section begins at a
/// multiple of 64 bytes. Larger alignments are written first, equal ones in the given order,
/// without gaps. A tensor aligned to more than its element must be a multiple of its alignment
/// long; otherwise an Error names it.
void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);
void write_safetensors(AtomicFile& file, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);

/// The bytes of such a file.
std::string safetensors_bytes(std::span<const TensorToWrite> tensors,
                              const std::map<std::string, std::string>& metadata);

/// A safetensors file that cane wrote, mapped into memory. The constructor verifies every size,
/// offset and checksum, and throws Error, "file: what is wrong; what to do", on anything else.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);
  explicit SafetensorsFile(std::shared_ptr<const MappedFile> mapping);
  /// The same for the bytes of a file, which are copied; `name` stands for its path.
  SafetensorsFile(const std::string& name, std::span<const std::byte> content);

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
    const auto bytes = checked_bytes(name, kTensorTypeOf<T>);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  std::shared_ptr<const MappedFile> mapping() const { return mapping_; }

 private:
  std::span<const std::byte> checked_bytes(const std::string& name, TensorType type) const;

  std::shared_ptr<const MappedFile> mapping_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

/// The Error about a file whose parts do not fit together, though their checksums are right.
[[noreturn]] void throw_damaged(const SafetensorsFile& file, const std::string& what);

}  // namespace cane

// Where the tensors of a safetensors file lie, and the header that says so. Checksums have a fixed
// length, so every place is known before the first byte is hashed, and tensors can be written in
// any order and by several processes. Also what writer and reader must agree upon: the types of
// elements, the entries that cane adds to the header, and the checksum of the header itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file/safetensors.h"

namespace cane {

inline constexpr std::size_t kLengthBytes = 8;
/// The limit of the reference implementation: other readers refuse a longer header.
inline constexpr std::uint64_t kLargestHeader = 100'000'000;

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::string_view kChecksumPrefix = "checksum.";
inline constexpr std::string_view kHeaderChecksumKey = "checksum.header";
inline constexpr std::string_view kTensorChecksumPrefix = "checksum.tensor.";
inline constexpr std::string_view kHeaderOpening = R"({"__metadata__":{"checksum.header":")";
/// Stands for a checksum that is not known yet, and has its length.
inline constexpr std::string_view kNoChecksum = "0000000000000000";

struct TensorElement {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
inline constexpr TensorElement kElementTypes[] = {
    {TensorType::kUint8, "U8", 1},    {TensorType::kUint32, "U32", 4},
    {TensorType::kUint64, "U64", 8},  {TensorType::kFloat32, "F32", 4},
    {TensorType::kFloat64, "F64", 8}, {TensorType::kInt8, "I8", 1},
    {TensorType::kFloat16, "F16", 2}};

constexpr const TensorElement& element_type(TensorType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}

/// Computes the size in bytes of a tensor of this shape; false if it does not fit into 64 bits.
bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes);

/// The header begins with kHeaderOpening, 16 hexadecimal digits and a quotation mark. The digits
/// are the checksum of the whole header (length, JSON and padding), computed with those digits as
/// zeros. They are at a fixed offset so that a reader can verify the header before parsing it.
std::string header_checksum(std::span<const std::byte> header);

/// A tensor without its bytes.
struct TensorDescription {
  std::string name;
  TensorType type;
  std::vector<std::uint64_t> shape;
  /// In the file the tensor begins at a multiple of this, and of the size of its elements.
  std::size_t alignment = 1;
};

class SafetensorsLayout {
 public:
  /// Throws Error, "path: cannot write: ...", on tensors that a file cannot have.
  SafetensorsLayout(std::string path, std::span<const TensorDescription> tensors);

  struct Place {
    std::size_t tensor;   // its number among those given
    std::uint64_t begin;  // in the data section, which is what follows the header
    std::uint64_t end;
  };
  /// In the order of the file, without gaps: larger alignments first, equal ones as given.
  std::span<const Place> places() const { return places_; }
  std::uint64_t data_bytes() const { return places_.empty() ? 0 : places_.back().end; }
  const TensorDescription& description(const Place& place) const { return tensors_[place.tensor]; }

  /// Length, JSON and padding. `checksums`: of the tensors, in the order of their places.
  std::string header(const std::map<std::string, std::string>& metadata,
                     std::span<const std::string> checksums) const;
  /// The size of that header, which does not depend on the checksums.
  std::uint64_t header_bytes(const std::map<std::string, std::string>& metadata) const;

 private:
  std::string path_;
  std::vector<TensorDescription> tensors_;
  std::vector<Place> places_;
};

/// The layout of tensors whose bytes are at hand; an Error if they are not as many as the shape
/// says.
SafetensorsLayout layout_of(const std::string& path, std::span<const TensorToWrite> tensors);

}  // namespace cane

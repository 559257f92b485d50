// What the writer and the reader of safetensors files must agree upon: the types of elements, the
// entries that cane adds to the header, and the checksum of the header itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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

struct ElementType {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
inline constexpr ElementType kElementTypes[] = {
    {TensorType::kUint8, "U8", 1},    {TensorType::kUint32, "U32", 4},
    {TensorType::kUint64, "U64", 8},  {TensorType::kFloat32, "F32", 4},
    {TensorType::kFloat64, "F64", 8}, {TensorType::kInt8, "I8", 1},
    {TensorType::kFloat16, "F16", 2}};

constexpr const ElementType& element_type(TensorType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}

/// Computes the size in bytes of a tensor of this shape; false if it does not fit into 64 bits.
bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes);

/// The header begins with kHeaderOpening, 16 hexadecimal digits and a quotation mark. The digits
/// are the checksum of the whole header (length, JSON and padding), computed with those digits as
/// zeros. They are at a fixed offset so that a reader can verify the header before parsing it.
std::string header_checksum(std::span<const std::byte> header);

}  // namespace cane

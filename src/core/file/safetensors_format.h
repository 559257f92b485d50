// What writer and reader of a safetensors file share: the names of the element types, the place of
// the header's checksum, and the checksum itself.
//
// The header begins with kHeaderOpening, 16 hexadecimal digits and a quotation mark: the checksum
// of the whole header (length, JSON and padding) taken with those digits as zeros. It stands at a
// fixed place so that a reader can verify the header before it parses a byte of it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/file/safetensors.h"

namespace cane::safetensors {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

inline constexpr std::size_t kLengthBytes = 8;
inline constexpr std::size_t kDataAlignment = 64;
/// The limit of the reference implementation: other readers refuse a longer header.
inline constexpr std::uint64_t kLargestHeader = 100'000'000;

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::string_view kChecksumPrefix = "checksum.";
inline constexpr std::string_view kHeaderChecksumKey = "checksum.header";
inline constexpr std::string_view kTensorChecksumPrefix = "checksum.tensor.";
inline constexpr std::string_view kHeaderOpening = R"({"__metadata__":{"checksum.header":")";
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

/// Bytes that a tensor of this shape takes; false where that does not fit into 64 bits.
bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes);

/// XXH3 (64 bits) of the parts one after the other, as 16 hexadecimal digits.
std::string checksum(std::initializer_list<std::span<const std::byte>> parts);

/// The checksum of a header, its length field included, which begins as described above.
std::string header_checksum(std::span<const std::byte> header);

}  // namespace cane::safetensors

#include "core/file/safetensors_format.h"

#include <bit>

#include "core/file/checksum.h"

namespace cane {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes) {
  bytes = element_type(type).size;
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) return false;
  }
  return true;
}

std::string header_checksum(std::span<const std::byte> header) {
  constexpr std::size_t kBegin = kLengthBytes + kHeaderOpening.size();
  Checksum sum;
  sum.add(header.first(kBegin));
  sum.add(std::as_bytes(std::span(kNoChecksum)));
  sum.add(header.subspan(kBegin + kNoChecksum.size()));
  return sum.digits();
}

}  // namespace cane

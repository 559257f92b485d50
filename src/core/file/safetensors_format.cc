#include "core/file/safetensors_format.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <new>

namespace cane::safetensors {

bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes) {
  bytes = element_type(type).size;
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) return false;
  }
  return true;
}

std::string checksum(std::initializer_list<std::span<const std::byte>> parts) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  for (const auto part : parts) XXH3_64bits_update(state.get(), part.data(), part.size());
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

std::string header_checksum(std::span<const std::byte> header) {
  constexpr std::size_t kBegin = kLengthBytes + kHeaderOpening.size();
  return checksum({header.first(kBegin), std::as_bytes(std::span(kNoChecksum)),
                   header.subspan(kBegin + kNoChecksum.size())});
}

}  // namespace cane::safetensors

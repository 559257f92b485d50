// Texts as the bytes of one message, each with its length before it: they may hold any bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/parallel/transport.h"

namespace cane {

inline void pack_text(std::string_view text, Bytes& bytes) {
  const std::uint64_t length = text.size();
  const auto head = std::as_bytes(std::span(&length, 1));
  bytes.insert(bytes.end(), head.begin(), head.end());
  const auto body = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), body.begin(), body.end());
}

/// Calls action(text) for each, in order. The bytes must come from pack_text.
template <typename Action>
void for_each_text(std::span<const std::byte> bytes, const Action& action) {
  while (!bytes.empty()) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    bytes = bytes.subspan(sizeof(length));
    action(std::string_view(reinterpret_cast<const char*>(bytes.data()), length));
    bytes = bytes.subspan(length);
  }
}

}  // namespace cane

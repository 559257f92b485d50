// Messages of Protocol Buffers, written field by field: the few kinds of fields that ONNX needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cane {

class ProtobufWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
  }
  /// A string, bytes, or a message that is finished.
  void text(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | kLengthDelimited);
    varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const ProtobufWriter& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kLengthDelimited = 2;

  void varint(std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    for (; value >= kMore; value >>= 7) bytes_ += static_cast<char>(value | kMore);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace cane

// Values of several types, and texts, one after the other in a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cane/error.h"
#include "core/parallel/transport.h"

namespace cane {

[[noreturn]] inline void throw_misunderstood() {
  throw Error("the ranks do not understand each other; run the same program on all of them");
}

template <typename Value>
requires std::is_trivially_copyable_v<Value>
void pack_values(std::span<const Value> values, Bytes& message) {
  const std::size_t before = message.size();
  message.resize(before + values.size_bytes());
  if (!values.empty()) std::memcpy(message.data() + before, values.data(), values.size_bytes());
}

template <typename Value>
requires std::is_trivially_copyable_v<Value>
void pack_value(const Value& value, Bytes& message) {
  pack_values(std::span<const Value>(&value, 1), message);
}

/// Takes values off the front of a message, in the order in which they were packed. Throws Error
/// where there are fewer: the ranks then run different programs.
class Unpacking {
 public:
  explicit Unpacking(std::span<const std::byte> message) : rest_(message) {}

  bool is_empty() const { return rest_.empty(); }
  std::size_t size() const { return rest_.size(); }

  template <typename Value>
  Value value() {
    Value result{};
    const auto bytes = take(sizeof(Value));
    std::memcpy(&result, bytes.data(), sizeof(Value));
    return result;
  }
  template <typename Value>
  void append(std::size_t count, std::vector<Value>& values) {
    const std::size_t before = values.size();
    values.resize(before + count);
    const auto bytes = take(count * sizeof(Value));
    if (count > 0) std::memcpy(values.data() + before, bytes.data(), bytes.size());
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) throw_misunderstood();
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

 private:
  std::span<const std::byte> rest_;
};

/// A text, with its length before it: it may hold any bytes.
inline void pack_text(std::string_view text, Bytes& message) {
  pack_value(static_cast<std::uint64_t>(text.size()), message);
  pack_values(std::span<const char>(text), message);
}

/// Calls action(text) for each, in order. The bytes must come from pack_text.
template <typename Action>
void for_each_text(std::span<const std::byte> bytes, const Action& action) {
  for (Unpacking rest(bytes); !rest.is_empty();) {
    const auto text = rest.take(static_cast<std::size_t>(rest.value<std::uint64_t>()));
    action(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  }
}

}  // namespace cane

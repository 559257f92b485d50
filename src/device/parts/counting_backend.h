// A backend that does nothing but count the memory that another one would take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/parts/backend.h"
#include "device/plain/entries.h"

namespace cane::device {

template <typename Counted>
class CountingBackend {
 public:
  /// What was asked for so far, in units that an allocation takes.
  std::uint64_t bytes() const { return bytes_ + Counted::sort_bytes(keys_) + Counted::kOwnBytes; }

  void* allocate(std::uint64_t bytes) {
    constexpr std::uint64_t kUnit = 512;
    bytes_ += (bytes + kUnit - 1) / kUnit * kUnit;
    return bytes == 0 ? nullptr : &nothing_;
  }
  static void release(void* /*memory*/) {}
  void* allocate_shared(std::uint64_t /*bytes*/) { return &nothing_; }
  static void release_shared(void* /*memory*/) {}
  template <typename... Arguments>
  void copy_in(const Arguments&...) {}
  template <typename... Arguments>
  void copy_out(const Arguments&...) {}
  template <Spread kSpread, typename Functor>
  void launch(std::uint64_t /*items*/, const Functor& /*functor*/) {}
  void multiply(const Product& /*product*/) {}
  void reserve_sort(std::uint64_t count) { keys_ = std::max(keys_, count); }
  SortedEntries sort(const std::uint32_t*, std::uint64_t, std::uint64_t) { return {}; }
  void* arguments(std::uint64_t bytes) {
    arguments_.resize(bytes);
    return arguments_.data();
  }
  void send_arguments(void* /*to*/, std::uint64_t /*bytes*/) {}
  void begin_buffer(std::uint32_t /*slot*/) {}
  template <typename T>
  void send(T* /*to*/, const T* /*from*/, std::uint64_t /*count*/) {}
  void end_buffer(std::uint32_t /*slot*/) {}
  void buffer_used(std::uint32_t /*slot*/) {}
  void wait_buffer(std::uint32_t /*slot*/) {}
  template <typename Body>
  void repeat(std::uint32_t /*key*/, const Body& /*body*/) {}
  void wait() {}

 private:
  std::uint64_t bytes_ = 0;
  std::uint64_t keys_ = 0;
  std::vector<std::byte> arguments_;
  std::uint64_t nothing_ = 0;  // what arrays point to; it is never read
};

}  // namespace cane::device

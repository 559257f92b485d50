// The backend of the host: plain loops, everything done at once. The tests run the whole learner on
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include "core/objective/lanes.h"
#include "device/backend.h"
#include "device/learner.h"

namespace cane::device {

/// The only lane of an item.
struct OneLane : SerialLanes {
  void sync() const {}
};

class HostBackend {
 public:
  void* allocate(std::uint64_t bytes) {
    void* memory = std::calloc(bytes, 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void release(void* memory) { std::free(memory); }
  void* allocate_shared(std::uint64_t bytes) { return allocate(bytes); }
  static void release_shared(void* memory) { std::free(memory); }

  void copy(void* to, const void* from, std::uint64_t bytes, Copy /*way*/) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  template <std::uint32_t kLanes, typename Functor>
  void launch(std::uint64_t items, const Functor& functor) {
    for (std::uint64_t item = 0; item < items; ++item) {
      functor(static_cast<std::int64_t>(item), OneLane{});
    }
  }

  void multiply(const Product& product) {
    for (std::uint64_t i = 0; i < product.m; ++i) {
      for (std::uint64_t j = 0; j < product.n; ++j) {
        double sum = 0.0;
        for (std::uint64_t p = 0; p < product.k; ++p) {
          const float a =
              product.a[product.transposes_a ? p * product.a_pitch + i : i * product.a_pitch + p];
          const float b =
              product.b[product.transposes_b ? j * product.b_pitch + p : p * product.b_pitch + j];
          sum += static_cast<double>(a) * static_cast<double>(b);
        }
        float& c = product.c[i * product.c_pitch + j];
        const float before = product.beta == 0.0F ? 0.0F : product.beta * c;
        c = before + product.alpha * static_cast<float>(sum);
      }
    }
  }

  /// Memory that the backend takes for itself and for sorting this many keys.
  static constexpr std::uint64_t kOwnBytes = 0;
  static constexpr std::uint64_t sort_bytes(std::uint64_t count) {
    return 2 * count * sizeof(std::uint32_t);
  }
  void reserve_sort(std::uint64_t count) {
    keys_.resize(count);
    order_.resize(count);
  }
  Sorted sort(const std::uint32_t* keys, std::uint64_t count, std::uint64_t /*bound*/) {
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(count);
    std::iota(order_.begin(), end, 0U);
    std::stable_sort(order_.begin(), end,
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    for (std::uint64_t i = 0; i < count; ++i) keys_[i] = keys[order_[i]];
    return {keys_.data(), order_.data(), count};
  }

  void begin_buffer(std::uint32_t /*slot*/) {}
  void send(void* to, const void* from, std::uint64_t bytes) {
    copy(to, from, bytes, Copy::kToDevice);
  }
  void end_buffer(std::uint32_t /*slot*/) {}
  void buffer_used(std::uint32_t /*slot*/) {}
  void wait_buffer(std::uint32_t /*slot*/) {}
  void wait() {}

 private:
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> order_;
};

// The learner on the host, for tests: all that a GPU's learner computes, by the same functors.
std::unique_ptr<Learner> make_host_learner(const LearnerSpec& spec);
std::uint64_t host_bytes(const LearnerSpec& spec);

}  // namespace cane::device

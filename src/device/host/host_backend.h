// The backend of the host: plain loops, everything done at once. Tests run the whole learner on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <vector>

#include "device/learner.h"
#include "device/parts/backend.h"
#include "device/plain/entries.h"
#include "device/plain/lanes.h"

namespace cane::device {

class HostBackend {
 public:
  void* allocate(std::uint64_t bytes) {
    void* memory = std::calloc(std::max<std::uint64_t>(bytes, 1), 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void release(void* memory) { std::free(memory); }
  void* allocate_shared(std::uint64_t bytes) { return allocate(bytes); }
  static void release_shared(void* memory) { std::free(memory); }

  template <typename T>
  void copy_in(T* to, std::uint64_t to_pitch, const T* from, std::uint64_t from_pitch,
               std::uint64_t columns, std::uint64_t rows) {
    for (std::uint64_t r = 0; r < rows; ++r) {
      std::copy_n(from + r * from_pitch, columns, to + r * to_pitch);
    }
  }
  template <typename T>
  void copy_out(T* to, std::uint64_t to_pitch, const T* from, std::uint64_t from_pitch,
                std::uint64_t columns, std::uint64_t rows) {
    copy_in(to, to_pitch, from, from_pitch, columns, rows);
  }

  template <Spread kSpread, typename Functor>
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
        const float before = *product.beta == 0.0F ? 0.0F : *product.beta * c;
        c = before + *product.alpha * static_cast<float>(sum);
      }
    }
  }

  /// Memory that the backend takes for itself and for sorting this many keys.
  static constexpr std::uint64_t kOwnBytes = 0;
  static constexpr std::uint64_t sort_bytes(std::uint64_t count) {
    return 2 * count * sizeof(std::uint32_t);
  }
  void reserve_sort(std::uint64_t count) {
    keys_.resize(std::max<std::uint64_t>(keys_.size(), count));
    order_.resize(keys_.size());
  }
  SortedEntries sort(const std::uint32_t* keys, std::uint64_t count, std::uint64_t /*bound*/) {
    const auto order = std::span(order_).first(count);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    for (std::uint64_t i = 0; i < count; ++i) keys_[i] = keys[order[i]];
    return {keys_.data(), order_.data(), static_cast<std::uint32_t>(count)};
  }

  void* arguments(std::uint64_t bytes) {
    arguments_.resize(bytes);
    return arguments_.data();
  }
  void send_arguments(void* to, std::uint64_t bytes) { std::memcpy(to, arguments_.data(), bytes); }

  void begin_buffer(std::uint32_t /*slot*/) {}
  template <typename T>
  void send(T* to, const T* from, std::uint64_t count) {
    std::copy_n(from, count, to);
  }
  void end_buffer(std::uint32_t /*slot*/) {}
  void buffer_used(std::uint32_t /*slot*/) {}
  void wait_buffer(std::uint32_t /*slot*/) {}

  template <typename Body>
  void repeat(std::uint32_t /*key*/, const Body& body) {
    body();
  }
  void wait() {}

 private:
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> order_;
  std::vector<std::byte> arguments_;
};

// The learner on the host, for tests: all that a GPU's learner computes, by the same functors.

/// `most_scores`: scores of a softmax that are kept at once; 0: as many as on a GPU.
std::unique_ptr<Learner> make_host_learner(const LearnerSpec& spec, std::uint64_t most_scores = 0);

std::uint64_t host_bytes(const LearnerSpec& spec);

}  // namespace cane::device

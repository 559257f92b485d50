// Lets a fixed number of threads wait for each other. A thread that waits spins for a while before
// it sleeps: the phases between two barriers are shorter than waking a thread takes.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/pause.h"
#include "core/base/thread_pool.h"

namespace cane {

class SpinBarrier {
 public:
  /// With more threads than cores, whoever waits sleeps at once and leaves the core to another.
  explicit SpinBarrier(int threads)
      : threads_(threads), spins_(threads <= available_cores() ? kSpins : 0) {}

  /// Returns when all threads have called it as often as this one. What they wrote before is
  /// visible after.
  void wait() {
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      phase_.notify_all();
      return;
    }
    for (int i = 0; i < spins_; ++i) {
      if (phase_.load(std::memory_order_acquire) != phase) return;
      pause_core();
    }
    while (phase_.load(std::memory_order_acquire) == phase) {
      phase_.wait(phase, std::memory_order_acquire);
    }
  }

 private:
  static constexpr int kSpins = 4000;  // roughly 100 microseconds

  const int threads_;
  const int spins_;
  // Apart, so that arriving does not disturb those who spin.
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> phase_ = 0;
};

}  // namespace cane

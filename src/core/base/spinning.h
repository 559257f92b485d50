// A lock and a barrier whose waiting threads spin, for waits that are shorter than waking a thread
// takes.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/base/thread_pool.h"

namespace cane {

/// Lets the other thread of the core go ahead for a moment.
inline void pause_core() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// For work of a microsecond or less. Satisfies the requirements of std::lock_guard. On a cache
/// line of its own.
class alignas(64) SpinLock {
 public:
  bool try_lock() {
    return !is_held_.load(std::memory_order_relaxed) &&
           !is_held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    for (int spins = 0; !try_lock(); ++spins) {
      if (spins < kSpins) {
        pause_core();
      } else {
        std::this_thread::yield();  // its holder may be waiting for a core
      }
    }
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  static constexpr int kSpins = 100;  // a few microseconds

  std::atomic<bool> is_held_ = false;
};

/// A fixed number of locks for any number of things: two things may share a lock, so a thread must
/// hold one at a time.
class SpinLocks {
 public:
  SpinLocks() : locks_(kLocks) {}
  SpinLock& of(std::size_t thing) { return locks_[thing % kLocks]; }

 private:
  static constexpr std::size_t kLocks = 256;

  std::vector<SpinLock> locks_;
};

/// Lets a fixed number of threads wait for each other. A waiting thread spins for a few
/// microseconds, then sleeps: where other programs want the cores, the thread that it waits for may
/// need this one.
class SpinBarrier {
 public:
  /// With more threads than cores a waiting thread sleeps at once and leaves its core to another.
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
  static constexpr int kSpins = 100;

  const int threads_;
  const int spins_;
  // Apart, so that arriving does not disturb those who spin.
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> phase_ = 0;
};

}  // namespace cane

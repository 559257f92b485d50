// Locks for work of a microsecond or less: whoever waits spins.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "core/base/pause.h"

namespace cane {

/// Satisfies the requirements of std::lock_guard. On a cache line of its own.
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
  static constexpr int kSpins = 1000;

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

}  // namespace cane

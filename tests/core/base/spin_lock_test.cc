// Labels: threads
#include "core/base/spinning.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "core/base/thread_pool.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(SpinLockThreads, OneThreadAtATimeHoldsIt) {
  constexpr int kTimes = 2000;
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    SpinLocks locks;
    std::vector<int> counts(3, 0);
    pool.run(static_cast<std::size_t>(threads), [&](std::size_t, int) {
      for (int i = 0; i < kTimes; ++i) {
        const std::size_t which = static_cast<std::size_t>(i) % counts.size();
        const std::lock_guard lock(locks.of(which));
        ++counts[which];
      }
    });
    EXPECT_EQ(counts[0] + counts[1] + counts[2], threads * kTimes);
  }
}

TEST(SpinLockThreads, IsNotTakenTwice) {
  SpinLock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

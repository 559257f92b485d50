// Labels: threads
#include "core/base/spinning.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/thread_pool.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(SpinBarrierThreads, ShowsWhatTheOthersWroteBefore) {
  constexpr int kPhases = 200;
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    SpinBarrier barrier(threads);
    std::vector<int> phases(static_cast<std::size_t>(threads), 0);
    std::vector<int> wrong(static_cast<std::size_t>(threads), 0);
    pool.run(phases.size(), [&](std::size_t self, int) {
      for (int phase = 1; phase <= kPhases; ++phase) {
        phases[self] = phase;
        barrier.wait();
        for (const int other : phases) wrong[self] += other == phase ? 0 : 1;
        barrier.wait();
      }
    });
    for (const int count : wrong) EXPECT_EQ(count, 0);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

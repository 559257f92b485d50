// Labels: threads
#include "core/base/spinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "core/base/stopwatch.h"
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

// Seconds of a team that waits after every few microseconds of work.
double seconds_in_step(int threads) {
  constexpr int kPhases = 2000;
  constexpr int kWork = 10'000;
  const Stopwatch stopwatch;
  ThreadPool pool(threads);
  SpinBarrier barrier(threads);
  pool.run(static_cast<std::size_t>(threads), [&](std::size_t, int) {
    std::atomic<int> done = 0;
    for (int phase = 0; phase < kPhases; ++phase) {
      for (int i = 0; i < kWork; ++i) done.store(i, std::memory_order_relaxed);
      barrier.wait();
    }
  });
  return stopwatch.seconds();
}

// Two teams, so twice as many threads as cores, do the work of two threads that never wait. Where a
// thread spins as long as the one that it waits for has no core, most waits cost a time slice.
TEST(SpinBarrierThreads, TeamsShareCoresWithoutMuchLoss) {
  constexpr double kBound = 6.0;
  constexpr int kTries = 5;  // other programs may want the cores, too
  const int cores = available_cores();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries && least >= kBound; ++i) {
    const double alone = seconds_in_step(1);
    const Stopwatch stopwatch;
    std::thread other([&] { seconds_in_step(cores); });
    seconds_in_step(cores);
    other.join();
    least = std::min(least, stopwatch.seconds() / (2.0 * alone));
  }
  EXPECT_LT(least, kBound);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

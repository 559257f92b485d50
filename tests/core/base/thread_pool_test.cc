// Labels: threads
#include "core/base/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

TEST(ThreadPoolThreads, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const std::size_t tasks : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<int> runs(tasks, 0);
      pool.run(tasks, [&](std::size_t task, int worker) {
        EXPECT_LT(worker, threads);
        ++runs[task];
      });
      EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), std::size_t{0}), tasks);
      for (const int count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPoolThreads, ThrowsTheExceptionOfTheLowestFailingTaskAndGoesOn) {
  ThreadPool pool(4);
  for (int repetition = 0; repetition < 50; ++repetition) {
    try {
      pool.run(64, [](std::size_t task, int) {
        if (task == 0 || task == 1) throw std::runtime_error("task " + std::to_string(task));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      // Task 1 may fail before task 0 was seen to fail, but then task 0 has begun, and wins.
      EXPECT_STREQ(error.what(), "task 0");
    }
  }
  std::vector<int> runs(8, 0);
  pool.run(8, [&](std::size_t task, int) { runs[task] = 1; });
  EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), 0), 8);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

#include "core/base/thread_pool.h"

#include <sched.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cane {

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  const std::function<void(std::size_t, int)>* body = nullptr;
  std::size_t tasks = 0;
  std::size_t next = 0;
  std::size_t running = 0;
  std::exception_ptr failure;
  std::size_t failed_task = 0;
  bool stop = false;
  std::vector<std::thread> workers;

  // Takes tasks until none is left. The lock must be held on entry and is held on return.
  void work(std::unique_lock<std::mutex>& lock, int worker) {
    while (next < tasks) {
      const std::size_t task = next++;
      const auto* current = body;
      ++running;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        (*current)(task, worker);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      --running;
      if (thrown) {
        if (!failure || task < failed_task) {
          failure = thrown;
          failed_task = task;
        }
        next = tasks;
      }
    }
  }
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : available_cores()), state_(std::make_unique<State>()) {
  for (int worker = 1; worker < threads_; ++worker) {
    state_->workers.emplace_back([state = state_.get(), worker] {
      std::unique_lock lock(state->mutex);
      while (true) {
        state->wake.wait(lock, [&] { return state->stop || state->next < state->tasks; });
        if (state->stop) return;
        state->work(lock, worker);
        if (state->running == 0) state->done.notify_one();
      }
    });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (auto& worker : state_->workers) worker.join();
}

void ThreadPool::run(std::size_t tasks,
                     const std::function<void(std::size_t task, int worker)>& body) {
  if (tasks == 0) return;
  std::unique_lock lock(state_->mutex);
  state_->body = &body;
  state_->tasks = tasks;
  state_->next = 0;
  state_->failure = nullptr;
  if (tasks > 1) state_->wake.notify_all();
  state_->work(lock, 0);
  state_->done.wait(lock, [&] { return state_->running == 0; });
  state_->tasks = 0;
  state_->next = 0;
  if (state_->failure) std::rethrow_exception(state_->failure);
}

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

}  // namespace cane

#include "core/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cane/error.h"

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
  int kept = std::numeric_limits<int>::max();  // workers from this one on end
  std::vector<std::thread> workers;

  // What each thread but the caller's does until the pool is gone.
  void serve(int worker) {
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || worker >= kept || next < tasks; });
      if (stop || worker >= kept) return;
      work(lock, worker);
      if (running == 0) done.notify_one();
    }
  }

  // Takes tasks until none is left. The lock must be held on entry and is held on return.
  void work(std::unique_lock<std::mutex>& lock, int worker) {
    while (next < tasks) {
      const std::size_t task = next++;
      const auto* current = body;
      ++running;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        if (worker == 0) check_interruption();
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

namespace {

constexpr int kOneGivenBackIn = 8;

std::mutex handler_mutex;
std::function<void(int, int)> shortage_handler;

}  // namespace

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : available_cores()), state_(std::make_unique<State>()) {
  const int asked = threads_;
  // Growing the list must not fail once there are threads in it.
  state_->workers.reserve(static_cast<std::size_t>(asked) - 1);
  for (int worker = 1; worker < asked; ++worker) {
    try {
      state_->workers.emplace_back([state = state_.get(), worker] { state->serve(worker); });
    } catch (const std::system_error&) {
      threads_ = worker;
      break;
    } catch (const std::bad_alloc&) {
      threads_ = worker;
      break;
    }
  }
  if (threads_ == asked) return;
  // Where memory was the limit there is none left for the work: give the stacks of some back.
  threads_ -= (threads_ + kOneGivenBackIn - 1) / kOneGivenBackIn;
  threads_ = std::max(threads_, 1);
  {
    const std::lock_guard lock(state_->mutex);
    state_->kept = threads_;
  }
  state_->wake.notify_all();
  while (state_->workers.size() >= static_cast<std::size_t>(threads_)) {
    state_->workers.back().join();
    state_->workers.pop_back();
  }
  const std::lock_guard lock(handler_mutex);
  if (shortage_handler) shortage_handler(threads_, asked);
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

void set_thread_shortage_handler(std::function<void(int got, int asked)> handler) {
  const std::lock_guard lock(handler_mutex);
  shortage_handler = std::move(handler);
}

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

namespace {

thread_local const std::function<bool()>* current = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(std::function<bool()> gives_up)
    : gives_up_(std::move(gives_up)) {
  current = &gives_up_;
}

InterruptionScope::~InterruptionScope() {
  current = nullptr;
}

void check_interruption() {
  if (current != nullptr && (*current)()) {
    throw Interrupted("interrupted before the first step of the training; there is no model");
  }
}

}  // namespace cane

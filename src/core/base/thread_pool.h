// A fixed team of threads that runs one loop at a time. Written here because a thread sanitizer
// cannot see the synchronisation inside a packaged threading library, and we run it on every
// change.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace cane {

class ThreadPool {
 public:
  /// `threads` includes the calling thread, which also works; 0: one per core. Where the system
  /// grants fewer (limits on processes or memory), the pool works with those it got.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  /// Calls body(task, worker) for task = 0 .. tasks - 1, handed out in order to whichever worker is
  /// free, worker in [0, threads()). Returns when all are done. If tasks threw, tasks not yet begun
  /// are left out and the exception of the lowest failing task is thrown. Not re-entrant.
  void run(std::size_t tasks, const std::function<void(std::size_t task, int worker)>& body);

 private:
  struct State;
  int threads_;
  std::unique_ptr<State> state_;
};

/// Sets the function that is called, on the thread that makes a pool, when the pool gets fewer
/// threads than it asked for. A process has one handler; an empty function removes it.
void set_thread_shortage_handler(std::function<void(int got, int asked)> handler);

/// The number of cores this process may run on.
int available_cores();

/// Lets a user interrupt preparations that take seconds: while it lives, the loops that its thread
/// runs on a ThreadPool ask `gives_up` before each task, and throw Interrupted if it returns true.
/// Scopes do not nest.
class InterruptionScope {
 public:
  explicit InterruptionScope(std::function<bool()> gives_up);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

 private:
  std::function<bool()> gives_up_;
};

/// Throws Interrupted if this thread has a scope that asks for it.
void check_interruption();

}  // namespace cane

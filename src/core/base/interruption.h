// Giving up in the middle of long loops: preparations that take seconds can be ended by whoever
// called, at a point where nothing half-done remains.
#pragma once

#include <functional>
#include <utility>

namespace cane {

/// While it lives, the loops that the thread of its maker runs on a ThreadPool ask before every
/// task they take whether to go on, and throw Interrupted if not. Scopes do not nest.
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

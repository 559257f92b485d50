// What a run computes with, passed down as one: its threads, its ranks and its observer. Made once
// at the top from the Context of the caller; the options of the run bring seed and device.
#pragma once

#include <utility>

#include "cane/context.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"

namespace cane {

class RunContext {
 public:
  /// A pool converts: most of what computes has no ranks and no observer. The pool and the observer
  /// must outlive the object.
  RunContext(ThreadPool& pool, Context context = {}) : pool_(pool), context_(std::move(context)) {}

  ThreadPool& pool() const { return pool_; }
  int threads() const { return pool_.threads(); }
  Communicator& ranks() const { return context_.ranks.communicator(); }
  /// One that ignores everything if the caller gave none.
  TrainObserver& observer() const {
    static TrainObserver silent;
    return context_.observer != nullptr ? *context_.observer : silent;
  }

 private:
  ThreadPool& pool_;
  Context context_;
};

}  // namespace cane

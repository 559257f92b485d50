// Trainings of a pilot: each is a real training over a replica of the data (tune/replica.h), on one
// thread and deterministic. They run in parallel, so what is measured does not depend on the number
// of threads.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "tune/replica.h"

namespace cane {

struct PilotTrial {
  TrainConfig config;     // resolved; the rate may be open before, and is known after
  double accuracy = 0.0;  // on the held-out examples of the replica
  double seconds = 0.0;   // shown, never compared
  std::string error;      // why there is no result; empty: there is one
};

class PilotRunner {
 public:
  /// All arguments must outlive the object.
  PilotRunner(ThreadPool& pool, TrainObserver& observer) : pool_(pool), observer_(observer) {}

  /// Runs all trials, each on its own replica. Returns false if the user asked to stop.
  bool run(std::span<const Replica* const> replicas, std::span<PilotTrial> trials);
  /// The same with one replica for all.
  bool run(const Replica& replica, std::span<PilotTrial> trials);

 private:
  class Relay;
  void run_one(const Replica& replica, PilotTrial& trial, bool is_callers_thread);

  ThreadPool& pool_;
  TrainObserver& observer_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace cane

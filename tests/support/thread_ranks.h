// Ranks that are threads of the test: messages are put into the mailbox of the receiver. A test can
// make a rank slow, or let it die.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "cane/ranks.h"
#include "core/parallel/communicator.h"

namespace cane {

class ThreadRanks {
 public:
  explicit ThreadRanks(int ranks) : ranks_(ranks), is_dead_(static_cast<std::size_t>(ranks)) {}

  std::unique_ptr<Transport> transport(int rank);
  /// Whatever the rank sends arrives so much later.
  void delay(int rank, std::chrono::milliseconds time) { delays_[rank] = time; }
  /// The rank sends nothing more, and those who wait for it find out.
  void kill(int rank) { is_dead_[static_cast<std::size_t>(rank)] = true; }
  bool is_dead(int rank) const { return is_dead_[static_cast<std::size_t>(rank)]; }

  /// Calls body(communicator) on a thread for each rank. If some threw, throws what the lowest of
  /// them threw, PeerFailure of the others left aside; a rank that throws tells the others.
  void run(const std::function<void(Communicator&)>& body);

 private:
  class Mail;
  using Clock = std::chrono::steady_clock;
  using Box = std::tuple<int, int, Channel>;  // from, to

  int ranks_;
  std::vector<std::atomic<bool>> is_dead_;
  std::map<int, std::chrono::milliseconds> delays_;
  std::mutex mutex_;
  std::map<Box, std::deque<std::pair<Clock::time_point, Bytes>>> boxes_;
};

/// The ranks of a communicator, which must outlive them.
inline Ranks ranks_of(Communicator& communicator) {
  return Ranks(std::shared_ptr<Communicator>(std::shared_ptr<void>(), &communicator));
}

/// Calls body(communicator) on so many ranks without faults.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body);

}  // namespace cane

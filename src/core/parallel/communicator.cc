#include "core/parallel/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/stopwatch.h"
#include "core/parallel/packing.h"

namespace cane {
namespace {

// A rank that waits leaves its core to others. Ranks that compute batches together wait a fraction
// of a millisecond, several times for each: to sleep as long would double it.
constexpr double kEagerSeconds = 2e-3;
constexpr auto kSleep = std::chrono::microseconds(500);
// Bytes that are not worth a way of their own: sent at once to each rank.
constexpr std::size_t kFewBytes = std::size_t{1} << 14;
// How long the ranks have to release what they hold once one has failed.
constexpr double kSecondsToLeave = 5.0;

/// What a rank does between two looks for a message.
class Patience {
 public:
  void pause() {
    if (waited() < kEagerSeconds) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kSleep);
    }
  }

  double waited() const { return stopwatch_.seconds(); }

 private:
  Stopwatch stopwatch_;
};

}  // namespace

Communicator::Communicator(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)),
      rank_(transport_->rank()),
      ranks_(transport_->ranks()),
      waited_(static_cast<std::size_t>(ranks_), 0.0) {}

void Communicator::barrier() {
  all_gather({});
}

Bytes Communicator::broadcast(Bytes bytes, int root) {
  if (rank_ != root) bytes.clear();
  return std::move(all_gather(std::move(bytes))[static_cast<std::size_t>(root)]);
}

std::vector<Bytes> Communicator::all_gather(Bytes bytes) {
  start_all_gather(std::move(bytes));
  return finish_all_gather();
}

std::vector<Bytes> Communicator::gather(Bytes bytes, int root) {
  if (rank_ != root) {
    send(root, std::move(bytes));
    wait_until_sent();
    return {};
  }
  std::vector<int> others;
  for (int from = 0; from < ranks_; ++from) {
    if (from != rank_) others.push_back(from);
  }
  std::vector<Bytes> all = receive(others);
  all.insert(all.begin() + rank_, std::move(bytes));
  return all;
}

std::vector<Bytes> Communicator::all_to_all(std::vector<Bytes> outgoing) {
  std::vector<int> others;
  // Each begins with its neighbour, so that no rank is everybody's first.
  for (int step = 1; step < ranks_; ++step) {
    const int to = (rank_ + step) % ranks_;
    send(to, std::move(outgoing[static_cast<std::size_t>(to)]));
    others.push_back(to);
  }
  std::vector<Bytes> incoming(static_cast<std::size_t>(ranks_));
  incoming[static_cast<std::size_t>(rank_)] = std::move(outgoing[static_cast<std::size_t>(rank_)]);
  std::vector<Bytes> received = receive(others);
  for (std::size_t i = 0; i < others.size(); ++i) {
    incoming[static_cast<std::size_t>(others[i])] = std::move(received[i]);
  }
  wait_until_sent();
  return incoming;
}

// Each rank first sends its size to all others, and with it the bytes if they are few: so all know
// what is to come, and who is late. Many bytes travel by the transport's own way to all ranks.
void Communicator::start_all_gather(Bytes bytes) {
  bytes_sent_ += bytes.size() * static_cast<std::size_t>(ranks_ - 1);
  Bytes head;
  pack_value(static_cast<std::uint64_t>(bytes.size()), head);
  if (bytes.size() <= kFewBytes) head.insert(head.end(), bytes.begin(), bytes.end());
  for (int step = 1; step < ranks_; ++step) {
    transport_->send((rank_ + step) % ranks_, Channel::kData, head);
  }
  arriving_.assign(static_cast<std::size_t>(ranks_), std::nullopt);
  arriving_[static_cast<std::size_t>(rank_)] = std::move(bytes);
  has_heads_ = false;
}

void Communicator::progress() {
  if (arriving_.empty() || is_alone()) return;
  transport_->has_sent_all();
  if (has_heads_) {
    transport_->has_gathered();
    return;
  }
  for (int from = 0; from < ranks_; ++from) {
    std::optional<Bytes>& message = arriving_[static_cast<std::size_t>(from)];
    if (message) continue;
    const std::optional<Bytes> head = transport_->try_receive(from, Channel::kData);
    if (!head) continue;
    Unpacking rest(*head);
    const auto size = static_cast<std::size_t>(rest.value<std::uint64_t>());
    message.emplace(size);
    if (size <= kFewBytes) std::ranges::copy(rest.take(size), message->begin());
  }
  has_heads_ = std::ranges::all_of(arriving_, [](const auto& message) { return bool(message); });
  if (!has_heads_) return;
  std::vector<std::span<std::byte>> large;
  for (std::optional<Bytes>& message : arriving_) {
    large.push_back(message->size() <= kFewBytes ? std::span<std::byte>() : std::span(*message));
  }
  transport_->start_all_gather(large);
}

std::vector<Bytes> Communicator::finish_all_gather() {
  const Stopwatch stopwatch;
  std::vector<bool> is_counted(arriving_.size(), false);
  wait([&] {
    progress();
    for (std::size_t from = 0; from < arriving_.size(); ++from) {
      if (!arriving_[from] || is_counted[from]) continue;
      is_counted[from] = true;
      if (static_cast<int>(from) != rank_) waited_[from] += stopwatch.seconds();
    }
    return is_alone() || (has_heads_ && transport_->has_gathered());
  });
  wait_until_sent();
  std::vector<Bytes> all;
  for (std::optional<Bytes>& message : arriving_) all.push_back(std::move(*message));
  arriving_.clear();
  return all;
}

void Communicator::send(int to, Bytes bytes) {
  bytes_sent_ += bytes.size();
  transport_->send(to, Channel::kData, std::move(bytes));
}

std::vector<Bytes> Communicator::receive(std::span<const int> from) {
  std::vector<Bytes> received(from.size());
  std::vector<bool> has_come(from.size(), false);
  std::size_t missing = from.size();
  const Stopwatch stopwatch;
  wait([&] {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (has_come[i]) continue;
      std::optional<Bytes> message = transport_->try_receive(from[i], Channel::kData);
      if (!message) continue;
      waited_[static_cast<std::size_t>(from[i])] += stopwatch.seconds();
      received[i] = std::move(*message);
      has_come[i] = true;
      --missing;
    }
    return missing == 0;
  });
  return received;
}

void Communicator::wait_until_sent() {
  wait([&] { return transport_ == nullptr || transport_->has_sent_all(); });
}

// What a rank has sent before it failed counts: where all ranks meet the same error, each should
// know enough to report it as its own.
template <typename Condition>
void Communicator::wait(const Condition& is_over) {
  for (Patience patience; !is_over(); patience.pause()) {
    try {
      check_failures();
    } catch (const PeerFailure&) {
      if (is_over()) return;
      throw;
    }
  }
}

void Communicator::check_failures() {
  for (int from = 0; from < ranks_; ++from) {
    if (from == rank_) continue;
    const std::optional<Bytes> why = transport_->try_receive(from, Channel::kFailure);
    if (!why) continue;
    throw PeerFailure(from, text_of(*why));
  }
}

std::string Communicator::name() const {
  const std::string machine = is_alone() ? "" : fmt::format(" ({})", host());
  return fmt::format("rank {} of {}{}", rank_, ranks_, machine);
}

int Communicator::ranks_of_machine() {
  const Bytes own = bytes_of_text(host());
  const std::vector<Bytes> all = all_gather(own);
  return static_cast<int>(std::ranges::count(all, own));
}

void Communicator::close() {
  if (is_alone()) return;
  barrier();
  transport_->close();
}

// A notified rank answers on the same channel, once it has released what it held. Two ranks that
// fail at once take each other's message for the answer.
bool Communicator::notify_failure(std::string_view why) noexcept {
  if (is_alone()) return true;
  try {
    const Bytes text = bytes_of_text(why);
    std::vector<int> others;
    for (int to = 0; to < ranks_; ++to) {
      if (to == rank_) continue;
      transport_->send(to, Channel::kFailure, text);
      others.push_back(to);
    }
    for (Patience patience; patience.waited() < kSecondsToLeave; patience.pause()) {
      std::erase_if(others, [&](int from) { return has_left(from); });
      if (transport_->has_sent_all() && others.empty()) return true;
    }
  } catch (const std::exception&) {
    // Ranks that cannot be notified are ended all the same.
  }
  return false;
}

void Communicator::abort() noexcept {
  if (!is_alone()) transport_->abort();
}

// A rank that does not answer any more has left.
bool Communicator::has_left(int from) noexcept {
  try {
    return transport_->try_receive(from, Channel::kFailure).has_value();
  } catch (const std::exception&) {
    return true;
  }
}

void Communicator::acknowledge(const PeerFailure& failure) noexcept {
  try {
    transport_->send(failure.rank(), Channel::kFailure, {});
    // The rank that failed ends all when all are ready: it is waited for until it is gone.
    for (Patience patience; patience.waited() < 2 * kSecondsToLeave; patience.pause()) {
      if (transport_->has_sent_all() && has_left(failure.rank())) break;
    }
  } catch (const std::exception&) {
    // It cannot be notified, nor does it wait for this rank.
  }
}

}  // namespace cane

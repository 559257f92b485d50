// What the ranks of a run do together: each calls the same functions in the same order, and each
// gets the same answer. Sums are taken in the order of the ranks, so they do not depend on who was
// first. A rank that fails notifies the others, which throw PeerFailure at their next wait, and all
// end within seconds. Every wait is timed by the rank that was waited for, so that a slow one can
// be named.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cane/error.h"
#include "core/parallel/packing.h"

namespace cane {

/// Another rank has failed, for this reason.
class PeerFailure : public Error {
 public:
  PeerFailure(int rank, const std::string& why) : Error(why), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

class Communicator {
 public:
  /// A run of one rank, which needs no transport.
  Communicator() = default;
  explicit Communicator(std::unique_ptr<Transport> transport);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool is_alone() const { return ranks_ == 1; }
  bool is_first() const { return rank_ == 0; }

  void barrier();
  /// The bytes of rank `root`, on every rank.
  Bytes broadcast(Bytes bytes, int root = 0);
  /// The bytes of every rank, in the order of the ranks: on every rank, or on `root` alone.
  std::vector<Bytes> all_gather(Bytes bytes);
  std::vector<Bytes> gather(Bytes bytes, int root = 0);
  /// Sends element r to rank r, and returns what each rank sent to this one.
  std::vector<Bytes> all_to_all(std::vector<Bytes> outgoing);

  /// all_gather() in two halves: the caller works while the messages travel, and calls progress()
  /// now and then, which moves them on. Nothing else may be sent or received between the halves.
  void start_all_gather(Bytes bytes);
  void progress();
  std::vector<Bytes> finish_all_gather();
  bool is_gathering() const { return !arriving_.empty(); }

  /// The values of all ranks, in the order of the ranks; each may give any number.
  template <typename Value>
  std::vector<Value> all_gather_values(std::span<const Value> values);
  /// One value of each rank, in the order of the ranks.
  template <typename Value>
  std::vector<Value> all_gather_value(const Value& value);
  /// values[i] becomes the sum of the i-th values of all ranks, all of which give as many.
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void sum(std::span<Number> values);
  template <typename Number>
  requires std::is_arithmetic_v<Number> Number sum(Number value) {
    sum(std::span(&value, 1));
    return value;
  }

  /// Whether this holds on any rank.
  bool any(bool here) { return sum(here ? 1 : 0) > 0; }

  /// The name of the machine that this rank runs on; empty if it is alone.
  std::string host() const { return is_alone() ? std::string() : transport_->host(); }
  /// What a message should call this rank: "rank 3 of 8 (node17)".
  std::string name() const;

  /// How many ranks, this one included, run on its machine and share its memory. All ranks call it.
  int ranks_of_machine();

  /// Leaves the others when all is done, on all ranks. Nothing may be called after it.
  void close();
  /// This rank has failed, and has released what it held. Notifies the others, which have a few
  /// seconds to do the same; returns whether all have. Throws nothing: there is an error to report
  /// already.
  bool notify_failure(std::string_view why) noexcept;
  /// Another rank has failed, and this one has released what it held. Returns when that rank has
  /// left, or after a few seconds.
  void acknowledge(const PeerFailure& failure) noexcept;
  /// Ends all ranks. Called last, after one of the two above.
  void abort() noexcept;

  /// Seconds that this rank has waited for each other rank so far.
  std::span<const double> seconds_waited() const { return waited_; }
  /// What this rank has sent to all others together so far.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  void send(int to, Bytes bytes);
  /// The next message of each of these ranks, as they come in.
  std::vector<Bytes> receive(std::span<const int> from);
  void wait_until_sent();
  void check_failures();
  bool has_left(int from) noexcept;
  template <typename Condition>
  void wait(const Condition& is_over);

  std::unique_ptr<Transport> transport_;  // null: alone
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<double> waited_ = {0.0};
  std::uint64_t bytes_sent_ = 0;
  std::vector<std::optional<Bytes>> arriving_;  // of each rank; empty: nothing has been started
  bool has_heads_ = false;  // all sizes are known: what is still to come travels to all together
};

/// Plain values as bytes, and back.
template <typename Value>
requires std::is_trivially_copyable_v<Value> Bytes bytes_of(std::span<const Value> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}
/// Throws Error if these are not whole values: the ranks then run different programs.
template <typename Value>
requires std::is_trivially_copyable_v<Value> std::vector<Value> values_of(
    std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(Value) != 0) throw_misunderstood();
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The values of several messages, one after the other.
template <typename Value>
std::vector<Value> joined_values(const std::vector<Bytes>& messages) {
  std::vector<Value> all;
  for (const Bytes& message : messages) {
    const std::vector<Value> more = values_of<Value>(message);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Texts as bytes, and back.
inline Bytes bytes_of_text(std::string_view text) {
  return bytes_of(std::span<const char>(text));
}
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Value>
std::vector<Value> Communicator::all_gather_values(std::span<const Value> values) {
  return joined_values<Value>(all_gather(bytes_of(values)));
}

template <typename Value>
std::vector<Value> Communicator::all_gather_value(const Value& value) {
  return all_gather_values(std::span(&value, 1));
}

template <typename Number>
requires std::is_arithmetic_v<Number>
void Communicator::sum(std::span<Number> values) {
  if (is_alone()) return;
  const std::vector<Bytes> parts = all_gather(bytes_of(std::span<const Number>(values)));
  std::fill(values.begin(), values.end(), Number{});
  for (const Bytes& part : parts) {
    const std::vector<Number> addends = values_of<Number>(part);
    if (addends.size() != values.size()) throw_misunderstood();
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<Number>(values[i] + addends[i]);
    }
  }
}

}  // namespace cane

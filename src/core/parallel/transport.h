// How bytes get from one rank to another: all that is asked of MPI. Messages of one sender and
// channel arrive whole and in the order in which they were sent. One thread at a time may call an
// object. What the ranks do together is in communicator.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cane {

using Bytes = std::vector<std::byte>;

/// Messages of different channels do not mix.
enum class Channel : int { kData, kFailure };

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// The name of the machine that this rank runs on, for messages.
  virtual std::string host() const = 0;

  /// Returns at once; keeps the bytes until they have left. Throws Error if they cannot be sent.
  virtual void send(int to, Channel channel, Bytes bytes) = 0;
  /// A message that has arrived; nothing if none has. Throws Error if the sender is lost.
  virtual std::optional<Bytes> try_receive(int from, Channel channel) = 0;
  /// Whether all that was sent has left; drives what is on its way.
  virtual bool has_sent_all() = 0;
  /// Starts to bring the bytes of each rank to all others, as all ranks do: messages[r] are those
  /// of rank r, and on another rank the memory for them, of the same size; it stays until
  /// has_gathered() returns true. One at a time.
  virtual void start_all_gather(std::span<const std::span<std::byte>> messages) = 0;
  /// Whether all have come; drives what is on its way.
  virtual bool has_gathered() = 0;
  /// Leaves the others in order. Every rank calls it, once nothing is on its way any more.
  virtual void close() = 0;
  /// Ends this rank and all others at once.
  virtual void abort() noexcept = 0;
};

}  // namespace cane

// The transport over MPI, by its C interface alone. A message travels in pieces: it ends with the
// first one that is shorter than a whole piece.
#pragma once

#include <mpi.h>

#include <list>
#include <vector>

#include "core/parallel/transport.h"

namespace cane {

class MpiTransport final : public Transport {
 public:
  /// Starts MPI unless the process has done so. Throws Error.
  explicit MpiTransport(std::size_t piece_bytes);

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string host() const override;
  void send(int to, Channel channel, Bytes bytes) override;
  std::optional<Bytes> try_receive(int from, Channel channel) override;
  bool has_sent_all() override;
  void start_all_gather(std::span<const std::span<std::byte>> messages) override;
  bool has_gathered() override { return are_done(gathering_); }
  void close() override;
  void abort() noexcept override;

 private:
  struct Outgoing {
    Bytes bytes;
    std::vector<MPI_Request> pieces;
  };

  Bytes& partial(int from, Channel channel);
  static bool are_done(std::vector<MPI_Request>& requests);

  std::size_t piece_bytes_;
  bool has_started_mpi_ = false;
  MPI_Comm ranks_together_ = MPI_COMM_NULL;  // our own messages, apart from those of the process
  int rank_ = 0;
  int ranks_ = 1;
  std::list<Outgoing> outgoing_;
  std::vector<Bytes> partial_;          // what has come of messages that have not ended
  std::vector<MPI_Request> gathering_;  // of the last start_all_gather
};

}  // namespace cane

#include "mpi/mpi_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cane/error.h"
#include "core/parallel/mpi_plugin.h"

namespace cane {
namespace {

constexpr int kChannels = 2;

/// `action` says what has failed; a rank stands for {} in it.
void check(int result, const char* action, int rank = 0) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error(fmt::format("{}: {}; look at the other ranks and at the network between them",
                          fmt::format(fmt::runtime(action), rank), text));
}

// The first part of MPI's own description, which goes on with hosts and dates.
std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text);
  return whole.substr(0, whole.find_first_of(",\n"));
}

std::unique_ptr<Transport> join_ranks_of_mpi(std::size_t piece_bytes) {
  return std::make_unique<MpiTransport>(piece_bytes);
}

}  // namespace

MpiTransport::MpiTransport(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {
  int is_started = 0;
  MPI_Initialized(&is_started);
  if (is_started == 0) {
    int granted = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &granted), "MPI cannot start");
    has_started_mpi_ = true;
  }
  check(MPI_Comm_dup(MPI_COMM_WORLD, &ranks_together_), "MPI cannot start");
  MPI_Comm_set_errhandler(ranks_together_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(ranks_together_, &rank_);
  MPI_Comm_size(ranks_together_, &ranks_);
  partial_.resize(static_cast<std::size_t>(ranks_) * kChannels);
}

std::string MpiTransport::host() const {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return name;
}

void MpiTransport::send(int to, Channel channel, Bytes bytes) {
  Outgoing& message = outgoing_.emplace_back(Outgoing{std::move(bytes), {}});
  const std::size_t size = message.bytes.size();
  for (std::size_t begin = 0; begin <= size; begin += piece_bytes_) {
    const std::size_t count = std::min(piece_bytes_, size - begin);
    check(MPI_Isend(message.bytes.data() + begin, static_cast<int>(count), MPI_BYTE, to,
                    static_cast<int>(channel), ranks_together_,
                    &message.pieces.emplace_back(MPI_REQUEST_NULL)),
          "rank {} cannot be reached", to);
  }
}

Bytes& MpiTransport::partial(int from, Channel channel) {
  return partial_[static_cast<std::size_t>(from) * kChannels + static_cast<std::size_t>(channel)];
}

std::optional<Bytes> MpiTransport::try_receive(int from, Channel channel) {
  Bytes& message = partial(from, channel);
  while (true) {
    int has_come = 0;
    MPI_Message piece = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Improbe(from, static_cast<int>(channel), ranks_together_, &has_come, &piece, &status),
          "rank {} does not answer", from);
    if (has_come == 0) return std::nullopt;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    const std::size_t size = message.size();
    message.resize(size + static_cast<std::size_t>(count));
    check(MPI_Mrecv(message.data() + size, count, MPI_BYTE, &piece, &status),
          "rank {} does not answer", from);
    if (static_cast<std::size_t>(count) < piece_bytes_) return std::exchange(message, {});
  }
}

bool MpiTransport::are_done(std::vector<MPI_Request>& requests) {
  int are_done = 0;
  check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &are_done,
                    MPI_STATUSES_IGNORE),
        "a message cannot be sent");
  return are_done != 0;
}

bool MpiTransport::has_sent_all() {
  std::erase_if(outgoing_, [](Outgoing& message) { return are_done(message.pieces); });
  return outgoing_.empty();
}

// By a broadcast from each rank: the messages have memory of their own, so that MPI need not count
// or place all of them together by an int.
void MpiTransport::start_all_gather(std::span<const std::span<std::byte>> messages) {
  gathering_.clear();
  for (std::size_t from = 0; from < messages.size(); ++from) {
    for (std::size_t begin = 0; begin < messages[from].size(); begin += piece_bytes_) {
      const std::size_t count = std::min(piece_bytes_, messages[from].size() - begin);
      check(MPI_Ibcast(messages[from].data() + begin, static_cast<int>(count), MPI_BYTE,
                       static_cast<int>(from), ranks_together_,
                       &gathering_.emplace_back(MPI_REQUEST_NULL)),
            "rank {} cannot be reached", static_cast<int>(from));
    }
  }
}

void MpiTransport::close() {
  MPI_Comm_free(&ranks_together_);
  if (has_started_mpi_) MPI_Finalize();
}

void MpiTransport::abort() noexcept {
  MPI_Abort(ranks_together_, 1);
}

}  // namespace cane

extern "C" __attribute__((visibility("default"))) const void* cane_mpi_plugin() {
  static const cane::MpiPlugin plugin = {cane::kMpiInterfaceVersion, cane::library_version,
                                         cane::join_ranks_of_mpi};
  return &plugin;
}

// Run by mpirun: what the ranks exchange over MPI arrives whole and in order, also in pieces. Ends
// with exit code 1 and a line for each thing that did not.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/parallel/communicator.h"
#include "core/parallel/open_mpi.h"

namespace {

using namespace cane;

constexpr std::size_t kPieceBytes = 1000;
// None, less than a piece, whole pieces, more, and more than MPI sends at once without a receiver.
constexpr std::size_t kSizes[] = {0, 1, 999, 1000, 1001, 3000, 300'000};

int failures = 0;

void expect(bool is_right, const std::string& what, const Communicator& ranks) {
  if (is_right) return;
  ++failures;
  fmt::print(stderr, "{}: {}\n", ranks.name(), what);
}

Bytes pattern(std::size_t size, int from, int to) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(7 * i + 31 * static_cast<std::size_t>(from) +
                                      101 * static_cast<std::size_t>(to));
  }
  return bytes;
}

void check(Communicator& ranks) {
  for (const std::size_t size : kSizes) {
    std::vector<Bytes> outgoing;
    for (int to = 0; to < ranks.ranks(); ++to) {
      outgoing.push_back(pattern(size, ranks.rank(), to));
    }
    const std::vector<Bytes> incoming = ranks.all_to_all(std::move(outgoing));
    for (int from = 0; from < ranks.ranks(); ++from) {
      expect(incoming[static_cast<std::size_t>(from)] == pattern(size, from, ranks.rank()),
             fmt::format("{} bytes of rank {}", size, from), ranks);
    }
    const std::vector<Bytes> each =
        ranks.all_gather(pattern(ranks.is_first() ? 1 : size, ranks.rank(), 3));
    for (int from = 0; from < ranks.ranks(); ++from) {
      expect(each[static_cast<std::size_t>(from)] == pattern(from == 0 ? 1 : size, from, 3),
             fmt::format("{} bytes of rank {} to all", size, from), ranks);
    }
    const int last = ranks.ranks() - 1;
    expect(ranks.broadcast(pattern(size, ranks.rank(), 0), last) == pattern(size, last, 0),
           fmt::format("{} bytes to all", size), ranks);
    const std::vector<Bytes> all = ranks.gather(pattern(size, ranks.rank(), 5));
    expect(all.size() == (ranks.is_first() ? static_cast<std::size_t>(ranks.ranks()) : 0),
           "the number of messages", ranks);
    for (std::size_t from = 0; from < all.size(); ++from) {
      expect(all[from] == pattern(size, static_cast<int>(from), 5),
             fmt::format("{} bytes to the first", size), ranks);
    }
  }
  std::uint64_t expected = 0;
  for (int rank = 0; rank < ranks.ranks(); ++rank) expected += static_cast<std::uint64_t>(rank + 1);
  expect(ranks.sum(static_cast<std::uint64_t>(ranks.rank() + 1)) == expected, "a sum", ranks);
}

}  // namespace

int main() {
  try {
    Communicator ranks(open_mpi().join(kPieceBytes));
    check(ranks);
    ranks.close();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}

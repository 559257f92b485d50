#include "model/shared_checksums.h"

#include <algorithm>
#include <type_traits>

#include "core/file/checksum.h"

namespace cane {
namespace {

/// The bytes of a tensor as stretches of one rank each, in order.
using Chain = std::vector<OwnedRange>;

std::vector<Chain> chains_of(std::span<const SafetensorsLayout::Place> places,
                             std::span<const OwnedRange> ranges) {
  std::vector<Chain> chains(places.size());
  std::size_t range = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::uint64_t begin = places[i].begin; begin < places[i].end;) {
      const std::uint64_t end = std::min(places[i].end, ranges[range].end);
      if (!chains[i].empty() && chains[i].back().rank == ranges[range].rank) {
        chains[i].back().end = end;
      } else {
        chains[i].push_back({begin, end, ranges[range].rank});
      }
      if (end == ranges[range].end) ++range;
      begin = end;
    }
  }
  return chains;
}

/// A checksum on its way.
struct Traveller {
  std::uint64_t place;
  Checksum sum;
};
static_assert(std::is_trivially_copyable_v<Traveller>);

void add_bytes(std::span<const TensorPiece> pieces, const OwnedRange& range, Checksum& sum) {
  auto piece = std::ranges::lower_bound(pieces, range.begin, {}, &TensorPiece::offset);
  for (; piece != pieces.end() && piece->offset < range.end; ++piece) sum.add(piece->bytes);
}

}  // namespace

std::vector<std::string> shared_checksums(std::span<const SafetensorsLayout::Place> places,
                                          std::span<const TensorPiece> pieces,
                                          std::span<const OwnedRange> ranges, Communicator& ranks) {
  const std::vector<Chain> chains = chains_of(places, ranges);
  std::size_t steps = 0;
  std::vector<Traveller> here;
  for (std::size_t place = 0; place < chains.size(); ++place) {
    steps = std::max(steps, chains[place].size());
    if (!chains[place].empty() && chains[place].front().rank == ranks.rank()) {
      here.push_back({place, {}});
    }
  }
  Bytes finished;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<Bytes> outgoing(static_cast<std::size_t>(ranks.ranks()));
    for (Traveller& traveller : here) {
      const Chain& chain = chains[traveller.place];
      add_bytes(pieces, chain[step], traveller.sum);
      const bool is_last = step + 1 == chain.size();
      pack_value(traveller,
                 is_last ? finished : outgoing[static_cast<std::size_t>(chain[step + 1].rank)]);
    }
    here = joined_values<Traveller>(ranks.all_to_all(std::move(outgoing)));
  }
  const auto all = joined_values<Traveller>(ranks.gather(std::move(finished)));
  if (!ranks.is_first()) return {};
  std::vector<std::string> checksums(places.size(), Checksum().digits());  // of empty tensors
  for (const Traveller& traveller : all) checksums[traveller.place] = traveller.sum.digits();
  return checksums;
}

}  // namespace cane

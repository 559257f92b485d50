#include "model/shared_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "core/file/checksum.h"
#include "core/file/joined_file.h"
#include "core/parallel/together.h"

namespace cane {
namespace {

/// Bytes of the data section, and the rank that has them.
struct OwnedRange {
  std::uint64_t begin;
  std::uint64_t end;
  int rank;
};

// A checksum is taken over the bytes in their order, so it travels: every rank adds the bytes that
// it has, and hands it to the rank that has the next ones. No tensor moves, and all tensors are on
// their way at the same time.

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

/// The checksums in the order of the places, on the first rank; nothing on the others. `pieces`: of
/// this rank, by their offset in the data section; `ranges`: of all ranks, the same on each. Both
/// in order; the ranges are the whole data section. There is a message for every time that a tensor
/// passes from one rank to another.
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

using Place = SafetensorsLayout::Place;

SafetensorsLayout shared_layout(const std::string& path, std::span<const SharedTensor> tensors) {
  std::vector<TensorDescription> descriptions;
  for (const SharedTensor& tensor : tensors) descriptions.push_back(tensor.description);
  return {path, descriptions};
}

/// The pieces of this rank by their offset in the data section, in order.
std::vector<TensorPiece> placed_pieces(const std::string& path, const SafetensorsLayout& layout,
                                       std::span<const SharedTensor> tensors) {
  std::vector<TensorPiece> placed;
  for (const Place& place : layout.places()) {
    const std::uint64_t bytes = place.end - place.begin;
    for (const TensorPiece& piece : tensors[place.tensor].pieces) {
      if (piece.offset > bytes || piece.bytes.size() > bytes - piece.offset) {
        throw Error(fmt::format(
            "{}: cannot write: {} bytes at offset {} of tensor '{}' are beyond "
            "its end, which is at {}",
            path, piece.bytes.size(), piece.offset, layout.description(place).name, bytes));
      }
      if (!piece.bytes.empty()) placed.push_back({place.begin + piece.offset, piece.bytes});
    }
  }
  std::ranges::sort(placed, {}, &TensorPiece::offset);
  return placed;
}

Bytes pack_ranges(std::span<const TensorPiece> pieces, int rank) {
  std::vector<OwnedRange> ranges;
  for (const TensorPiece& piece : pieces) {
    const std::uint64_t end = piece.offset + piece.bytes.size();
    if (!ranges.empty() && ranges.back().end == piece.offset) {
      ranges.back().end = end;
    } else {
      ranges.push_back({piece.offset, end, rank});
    }
  }
  return bytes_of(std::span<const OwnedRange>(ranges));
}

[[noreturn]] void fail_at(const std::string& path, const SafetensorsLayout& layout,
                          std::uint64_t offset, const char* problem) {
  const auto place = std::ranges::upper_bound(layout.places(), offset, {}, &Place::end);
  throw Error(fmt::format("{}: cannot write: {} byte {} of tensor '{}'", path, problem,
                          offset - place->begin, layout.description(*place).name));
}

/// The ranges of all ranks in order; together they are the whole data section.
std::vector<OwnedRange> whole_of(const std::string& path, const SafetensorsLayout& layout,
                                 const std::vector<Bytes>& parts) {
  auto ranges = joined_values<OwnedRange>(parts);
  std::ranges::sort(ranges, {}, &OwnedRange::begin);
  std::uint64_t end = 0;
  for (const OwnedRange& range : ranges) {
    if (range.begin < end) fail_at(path, layout, range.begin, "two pieces hold");
    if (range.begin > end) fail_at(path, layout, end, "no rank has");
    end = range.end;
  }
  if (end < layout.data_bytes()) fail_at(path, layout, end, "no rank has");
  return ranges;
}

}  // namespace

void write_shared_safetensors(const std::string& path, std::span<const SharedTensor> tensors,
                              const std::map<std::string, std::string>& metadata,
                              Communicator& ranks) {
  std::optional<SafetensorsLayout> layout;
  std::vector<TensorPiece> pieces;
  const std::vector<Bytes> parts = do_together(ranks, [&] {
    layout.emplace(shared_layout(path, tensors));
    pieces = placed_pieces(path, *layout, tensors);
    return pack_ranges(pieces, ranks.rank());
  });
  const std::vector<OwnedRange> ranges = whole_of(path, *layout, parts);

  std::optional<AtomicFile> file;  // of the first rank
  const std::vector<Bytes> starts = do_together(ranks, [&] {
    if (!ranks.is_first()) return Bytes();
    const std::uint64_t data_begin = layout->header_bytes(metadata);
    file.emplace(path);
    file->set_size(data_begin + layout->data_bytes());
    const FileToJoin to_join = file_to_join(path, *file);
    Bytes message;
    for (const std::uint64_t number : {data_begin, to_join.bytes, to_join.number}) {
      pack_value(number, message);
    }
    pack_values(std::span<const char>(to_join.path), message);
    return message;
  });
  Unpacking start(starts.front());
  const auto data_begin = start.value<std::uint64_t>();
  FileToJoin to_join;
  to_join.bytes = start.value<std::uint64_t>();
  to_join.number = start.value<std::uint64_t>();
  to_join.path = text_of(start.take(start.size()));

  // Written first, so that the system brings the bytes to the disk while they are hashed.
  std::optional<JoinedFile> joined;
  do_together(ranks, [&] {
    joined.emplace(path, to_join);
    for (const TensorPiece& piece : pieces) {
      joined->write_at(data_begin + piece.offset, piece.bytes);
    }
    return Bytes();
  });
  const std::vector<std::string> checksums =
      shared_checksums(layout->places(), pieces, ranges, ranks);
  do_together(ranks, [&] {
    joined->sync();
    if (file) file->write(layout->header(metadata, checksums));
    return Bytes();
  });
  do_together(ranks, [&] {
    if (file) file->commit();
    return Bytes();
  });
}

std::vector<SharedTensor> share_evenly(std::span<const TensorToWrite> tensors,
                                       const Communicator& ranks) {
  const SafetensorsLayout layout = layout_of("the tensors", tensors);
  const auto cut = [&](int rank) {
    const auto share = static_cast<std::uint64_t>(rank);
    const auto shares = static_cast<std::uint64_t>(ranks.ranks());
    const std::uint64_t bytes = layout.data_bytes();
    return bytes / shares * share + std::min(bytes % shares, share);
  };
  const std::uint64_t first = cut(ranks.rank());
  const std::uint64_t last = cut(ranks.rank() + 1);
  std::vector<SharedTensor> shared(tensors.size());
  for (const Place& place : layout.places()) {
    SharedTensor& tensor = shared[place.tensor];
    tensor.description = layout.description(place);
    const std::uint64_t begin = std::max(place.begin, first);
    const std::uint64_t end = std::min(place.end, last);
    if (begin >= end) continue;
    tensor.pieces.push_back({begin - place.begin, tensors[place.tensor].bytes.subspan(
                                                      begin - place.begin, end - begin)});
  }
  return shared;
}

}  // namespace cane

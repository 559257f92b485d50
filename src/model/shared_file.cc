#include "model/shared_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "core/file/joined_file.h"
#include "core/parallel/together.h"

namespace cane {
namespace {

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

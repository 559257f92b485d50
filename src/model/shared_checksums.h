// The checksums of tensors of which each rank has some pieces. A checksum is taken over the bytes
// in their order, so it travels: every rank adds the bytes that it has, and hands it to the rank
// that has the next ones. No tensor moves, and all tensors are on their way at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file/safetensors_layout.h"
#include "core/parallel/communicator.h"

namespace cane {

/// Bytes that this rank has. They belong to the caller.
struct TensorPiece {
  std::uint64_t offset;  // within the tensor, or within the data section of the file
  std::span<const std::byte> bytes;
};

/// Bytes of the data section, and the rank that has them.
struct OwnedRange {
  std::uint64_t begin;
  std::uint64_t end;
  int rank;
};

/// The checksums in the order of the places, on the first rank; nothing on the others. `pieces`: of
/// this rank, by their offset in the data section; `ranges`: of all ranks, the same on each. Both
/// in order; the ranges are the whole data section. There is a message for every time that a tensor
/// passes from one rank to another.
std::vector<std::string> shared_checksums(std::span<const SafetensorsLayout::Place> places,
                                          std::span<const TensorPiece> pieces,
                                          std::span<const OwnedRange> ranges, Communicator& ranks);

}  // namespace cane

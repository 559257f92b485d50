// One safetensors file that all ranks write together, each the bytes that it has. The file is, byte
// for byte, what write_safetensors writes: any number of ranks, or one process, reads it. It must
// be on a file system that all ranks see under the same name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

/// A tensor, and the pieces of it that this rank writes.
struct SharedTensor {
  TensorDescription description;    // the same on all ranks
  std::vector<TensorPiece> pieces;  // all ranks together give every byte of the tensor once
};

/// Called by all ranks with the same tensors in the same order; the metadata is the first rank's.
/// The file is replaced as a whole, as by AtomicFile. If one rank fails, all throw an Error that
/// names it and its machine, and the file keeps its old content.
void write_shared_safetensors(const std::string& path, std::span<const SharedTensor> tensors,
                              const std::map<std::string, std::string>& metadata,
                              Communicator& ranks);

/// For tensors that every rank has as a whole: each writes an even share of the file.
std::vector<SharedTensor> share_evenly(std::span<const TensorToWrite> tensors,
                                       const Communicator& ranks);

}  // namespace cane

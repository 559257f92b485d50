// Where the tensors of a safetensors file lie, and the header that says so. Checksums have a fixed
// length, so every place is known before the first byte is hashed, and tensors can be written in
// any order and by several processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/file/safetensors.h"

namespace cane {

/// A tensor without its bytes.
struct TensorDescription {
  std::string name;
  TensorType type;
  std::vector<std::uint64_t> shape;
  /// In the file the tensor begins at a multiple of this, and of the size of its elements.
  std::size_t alignment = 1;
};

class SafetensorsLayout {
 public:
  /// Throws Error, "path: cannot write: ...", on tensors that a file cannot have.
  SafetensorsLayout(std::string path, std::span<const TensorDescription> tensors);

  struct Place {
    std::size_t tensor;   // its number among those given
    std::uint64_t begin;  // in the data section, which is what follows the header
    std::uint64_t end;
  };
  /// In the order of the file, without gaps: larger alignments first, equal ones as given.
  std::span<const Place> places() const { return places_; }
  std::uint64_t data_bytes() const { return places_.empty() ? 0 : places_.back().end; }
  const TensorDescription& description(const Place& place) const { return tensors_[place.tensor]; }

  /// Length, JSON and padding. `checksums`: of the tensors, in the order of their places.
  std::string header(const std::map<std::string, std::string>& metadata,
                     std::span<const std::string> checksums) const;
  /// The size of that header, whatever the checksums are.
  std::uint64_t header_bytes(const std::map<std::string, std::string>& metadata) const;

 private:
  std::string path_;
  std::vector<TensorDescription> tensors_;
  std::vector<Place> places_;
};

/// The layout of tensors whose bytes are at hand; an Error if they are not as many as the shape
/// says.
SafetensorsLayout layout_of(const std::string& path, std::span<const TensorToWrite> tensors);

}  // namespace cane

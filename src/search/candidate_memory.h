// Remembers what a selector found. Which classes compete for an example changes slowly: once
// training is under way they are searched again every few epochs only, and in between those of the
// last search are scored with the weights as they are. The lists depend on the example, never on
// its label, so consistency is not touched.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/selector.h"

namespace cane {

/// The lists of all examples, shared by the workers of all threads, which write to it. An example
/// is in one batch of an epoch, so that threads never meet here.
class CandidateMemory {
 public:
  /// Lists are searched in the first two epochs and then in every `period`-th one. Examples are
  /// known by their number, below `examples`; a search is always for a beam of this width.
  CandidateMemory(std::size_t examples, std::uint32_t width, std::uint32_t period);

  /// A worker that searches with `searching`, and answers from memory where it can. The memory must
  /// outlive it.
  std::unique_ptr<Selector::Worker> make_worker(std::unique_ptr<Selector::Worker> searching);

  std::uint32_t width() const { return width_; }
  /// Whether these examples have lists that are recent enough.
  bool remembers(const SelectionDraws& draws) const;
  /// `width` classes of an example, kUnknownClass where there are fewer.
  std::span<ClassId> list(std::uint32_t number) {
    return std::span(classes_).subspan(std::size_t{number} * width_, width_);
  }

  static std::size_t bytes(std::size_t examples, std::uint32_t width) {
    return examples * width * sizeof(ClassId);
  }

 private:
  std::uint32_t width_;
  std::uint32_t period_;
  std::vector<ClassId> classes_;
};

}  // namespace cane
